// SIGKILL to every process of a job at random moments around saves: `latest` always verifies, the next launch continues,
// and metrics.csv has each step once, in order. Five rounds here; a soak is `kill_around_saves_test --gtest_repeat=10`.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/cluster/training_job.h"
#include "tests/support/places.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string program(const std::string& name) { return test::bin_folder() + "/" + name; }

pid_t start(const std::vector<std::string>& words, const std::string& log) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setsid();
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(out, 1);
  ::dup2(out, 2);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

int exit_code_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// pid and all its descendants.
std::vector<pid_t> family(pid_t first) {
  std::map<pid_t, std::vector<pid_t>> children;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const auto pid = parse_int(entry.path().filename().string());
    std::ifstream file(entry.path() / "stat");
    std::string text;
    if (!pid || !std::getline(file, text) || text.rfind(") ") == std::string::npos) continue;
    const auto fields = split(text.substr(text.rfind(") ") + 2), ' ');
    children[static_cast<pid_t>(parse_int(fields.at(1)).value_or(0))].push_back(static_cast<pid_t>(*pid));
  }
  std::vector<pid_t> found, todo{first};
  while (!todo.empty()) {
    const pid_t pid = todo.back();
    todo.pop_back();
    found.push_back(pid);
    for (const pid_t child : children[pid]) todo.push_back(child);
  }
  return found;
}

bool wait_for(const std::function<bool()>& condition, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(20ms);  // polls, does not synchronise
  }
  return true;
}

std::vector<int64_t> steps_of(const std::string& folder) {
  std::vector<int64_t> steps;
  std::ifstream file(folder + "/out/metrics.csv");
  for (std::string line; std::getline(file, line);)
    if (const auto step = parse_int(line.substr(0, line.find(',')))) steps.push_back(*step);
  return steps;
}

TEST(KillAroundSaves, LatestAlwaysVerifiesAndTheJobContinues) {
  const std::string folder = (fs::temp_directory_path() / ("dsl-kill-" + std::to_string(::getpid()))).string();
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string cfg = write_training_job(folder, {.steps = 1000000, .zero_stage = 3, .checkpoint_every = 1});
  std::mt19937 random(std::random_device{}());
  int64_t furthest = 0;
  for (int round = 0; round < 5; ++round) {
    const size_t rows_before = steps_of(folder).size();
    const pid_t job = start({program("dslaunch"), "--oversubscribe", "-np", "2", cfg}, folder + "/log");
    ASSERT_TRUE(wait_for([&] { return steps_of(folder).size() >= 3 && steps_of(folder).size() != rows_before; }, 120s))
        << read_file(folder + "/log");
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 400));  // the random moment
    const auto victims = family(job);
    for (const pid_t pid : victims) ::kill(pid, SIGKILL);
    EXPECT_EQ(exit_code_of(job), 128 + SIGKILL);
    EXPECT_TRUE(wait_for([&] {
      for (const pid_t pid : victims)
        if (fs::exists("/proc/" + std::to_string(pid))) return false;
      return true;
    }, 30s));
    EXPECT_EQ(exit_code_of(start({program("dstool"), "checkpoint", "verify", folder + "/out/checkpoints"}, folder + "/log")), 0)
        << read_file(folder + "/log");
    const auto steps = steps_of(folder);
    for (size_t i = 1; i < steps.size(); ++i) EXPECT_GT(steps[i], steps[i - 1]) << "round " << round;
    // A continued job never falls behind a checkpoint that was committed.
    EXPECT_GE(steps.back() + 1, furthest) << "round " << round;
    furthest = std::max(furthest, steps.back());
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace ds::testing
