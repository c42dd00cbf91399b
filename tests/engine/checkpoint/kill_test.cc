// SIGKILL of a process that is saving, at random moments: `latest` always verifies and holds what was saved as it.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "engine/checkpoint/checkpoint.h"
#include "tests/engine/checkpoint/support.h"
#include "tests/support/places.h"

namespace ds {
namespace {

// A saving child and the pipe that it tells its progress on.
class Child {
 public:
  Child(const std::string& folder, int64_t first_step) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    const std::string program = test::bin_folder() + "/" + SAVER_CHILD;
    const std::string step = std::to_string(first_step);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execl(program.c_str(), program.c_str(), folder.c_str(), step.c_str(), "1000000", nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~Child() {
    kill();
    ::close(output_);
  }
  // Until it has said something; false when it ended or 60 s passed.
  bool has_saved() {
    pollfd wait{output_, POLLIN, 0};
    char text[4096];
    return ::poll(&wait, 1, 60'000) == 1 && ::read(output_, text, sizeof text) > 0;
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
  int output_ = -1;
};

TEST(KillingASavingProcess, NeverLeavesLatestNamingSomethingThatDoesNotLoad) {
  test::ScratchFolder scratch;
  std::mt19937 random(7);
  int64_t step = 1;
  for (int round = 0; round < 5; ++round) {
    Child child(scratch.path(), step);
    ASSERT_TRUE(child.has_saved()) << "the child did not save anything";
    // The moment of the kill is random in what it hits, not something waited for.
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 60'000);
    while (std::chrono::steady_clock::now() < until) ::poll(nullptr, 0, 1);
    child.kill();
    const CheckpointReader reader(scratch.path());
    EXPECT_EQ(reader.verify(), std::vector<std::string>{});
    EXPECT_GE(reader.step(), step);
    EXPECT_EQ(test::load_differences(scratch.path(), 2, static_cast<int>(reader.step())), std::vector<std::string>{});
    step = reader.step() + 1;
  }
}

}  // namespace
}  // namespace ds
