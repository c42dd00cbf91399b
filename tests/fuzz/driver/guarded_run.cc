#include "tests/fuzz/driver/guarded_run.h"

#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "tests/fuzz/expect.h"

// Every way to die ends in AddressSanitizer's report, and so in save_input. Leaks are libFuzzer's part: looking for
// them needs ptrace, which containers may not allow.
extern "C" const char* __asan_default_options() {
  return "handle_abort=1:detect_leaks=0:hard_rss_limit_mb=2048:max_allocation_size_mb=512";
}
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

namespace ds::fuzz {
namespace {

// The callbacks below are given no argument by the sanitizer and the kernel, hence variables of the file.
struct Current {
  char failure_file[4096] = "";
  const std::string* input = nullptr;
  time_t deadline_seconds = 0;
};
Current current;

void say(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

// Safe in a signal handler: the program is dying.
void save_input() {
  if (!current.input) return;
  const int fd = ::open(current.failure_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const ssize_t written = ::write(fd, current.input->data(), current.input->size());
  const bool saved = written == static_cast<ssize_t>(current.input->size());
  say(saved ? "\nthe input is in " : "\nthe input could not be written to ");
  say(current.failure_file);
  say("\n");
  current.input = nullptr;
}

void let_run(time_t seconds) {
  const itimerval limit{{}, {seconds, 0}};
  ::setitimer(ITIMER_PROF, &limit, nullptr);
}

void too_long(int) {
  say("no answer within the deadline\n");
  std::abort();
}

}  // namespace

void guard(const std::string& failure_file, std::chrono::seconds deadline) {
  std::strncpy(current.failure_file, failure_file.c_str(), sizeof current.failure_file - 1);
  current.deadline_seconds = deadline.count();
  __sanitizer_set_death_callback(save_input);
  std::signal(SIGPROF, too_long);
}

void guarded_run(const std::string& input) noexcept {
  current.input = &input;
  let_run(current.deadline_seconds);
  const auto exact = std::make_unique<uint8_t[]>(input.size());  // so that reading beyond its end is noticed
  std::copy(input.begin(), input.end(), exact.get());
  LLVMFuzzerTestOneInput(exact.get(), input.size());
  let_run(0);
  current.input = nullptr;
}

}  // namespace ds::fuzz
