#include "tests/support/memory_shortage.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/support/poll.h"
#include "topology/base/error.h"

namespace ds::testing {
namespace {

constexpr const char* kController = "/sys/fs/cgroup/memory";  // of cgroup v1
constexpr size_t kLimit = 16 << 20;
constexpr auto kDeadline = std::chrono::seconds(30);

void write_line(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::endl;
  if (!file) throw Error(ErrorCode::kInternal, "cannot write " + text + " to " + path);
}

bool is_alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return file >> number >> name >> state && state != "Z";
}

// Pages of a memory file are the group's, and no process is the larger for them: the chosen one is the largest.
[[noreturn]] void fill() {
  const int file = memfd_create("fill", 0);
  const std::vector<char> block(64 << 10);
  for (size_t done = 0; done < 4 * kLimit; done += block.size())
    if (write(file, block.data(), block.size()) < 0) break;
  _exit(0);
}

}  // namespace

std::string MemoryShortage::why_not() {
  if (geteuid() != 0) return "only root may make a memory control group";
  const bool there = access((std::string(kController) + "/memory.use_hierarchy").c_str(), W_OK) == 0;
  return there ? "" : std::string("no memory controller of cgroup v1 at ") + kController;
}

MemoryShortage::MemoryShortage() : group_(std::string(kController) + "/dslaunch_test_" + std::to_string(getpid())) {
  std::filesystem::create_directory(group_);
  write_line(group_ + "/memory.limit_in_bytes", std::to_string(kLimit));
}

MemoryShortage::~MemoryShortage() {
  const bool removed = wait_until(
      [this] {
        std::ifstream members(group_ + "/cgroup.procs");
        for (pid_t pid = 0; members >> pid;) ::kill(pid, SIGKILL);
        return rmdir(group_.c_str()) == 0;
      },
      kDeadline);
  (void)removed;
}

void MemoryShortage::hit(pid_t pid) {
  write_line(group_ + "/cgroup.procs", std::to_string(pid));
  write_line("/proc/" + std::to_string(pid) + "/oom_score_adj", "1000");
  const pid_t filler = fork();
  if (filler < 0) throw Error(ErrorCode::kInternal, "cannot fork");
  if (filler == 0) {
    write_line(group_ + "/cgroup.procs", "0");
    fill();
  }
  const bool killed = wait_until([pid] { return !is_alive(pid); }, kDeadline);
  ::kill(filler, SIGKILL);
  waitpid(filler, nullptr, 0);
  if (!killed) throw Error(ErrorCode::kDeadline, "process " + std::to_string(pid) + " survives a shortage of memory");
}

}  // namespace ds::testing
