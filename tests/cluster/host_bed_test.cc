// The bed itself: hosts that are apart, links that can be cut, nothing left however it ends.
#include "tests/support/host_bed.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "gtest/gtest.h"
#include "tests/support/poll.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;

class HostBedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto reason = HostBed::why_not(false);
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

std::string pid_namespace(pid_t pid) {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/ns/pid", ignored).string();
}

int processes_in(const std::string& space) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const auto pid = parse_int(entry.path().filename().string());
    count += pid && pid_namespace(static_cast<pid_t>(*pid)) == space;
  }
  return count;
}

TEST_F(HostBedTest, HostsReachEachOtherBySshAndHaveNamesAndTmpOfTheirOwn) {
  HostBed bed({.hosts = 3});
  for (const auto& name : bed.names()) {
    EXPECT_EQ(bed.run("node1", {"ssh", name, "hostname; touch /tmp/mine /dev/shm/mine; pgrep -c sshd >/dev/null"}).out, name + "\n");
  }
  for (const auto& name : bed.names()) {
    EXPECT_EQ(bed.shared_memory(name), std::vector<std::string>{"mine"});
    EXPECT_EQ(bed.run(name, {"find", "/tmp", "-name", "mine"}).out, "/tmp/mine\n");
    EXPECT_EQ(bed.run(name, {"rm", "/dev/shm/mine"}).code, 0);
  }
  EXPECT_EQ(bed.leftovers(seconds(10)), "");
  EXPECT_EQ(bed.run("node2", {"sh", "-c", "exit 7"}).code, 7);
  EXPECT_EQ(bed.run("node2", {"sh", "-c", "kill -9 $$"}).code, 137);
}

TEST_F(HostBedTest, ACutHostIsSilentUntilItIsHealed) {
  HostBed bed({.hosts = 2});
  const std::vector<std::string> ssh = {"ssh", "-o", "ConnectTimeout=2", "node2", "true"};
  bed.cut("node2");
  const auto result = bed.run("node1", ssh, seconds(30));
  EXPECT_EQ(result.code, 255);
  EXPECT_NE(result.err.find("timed out"), std::string::npos) << result.err;
  EXPECT_EQ(bed.run("node2", {"true"}).code, 0);
  bed.heal("node2");
  EXPECT_EQ(bed.run("node1", ssh, seconds(30)).code, 0);
}

TEST_F(HostBedTest, WhatRunsOnAHostIsSeenAndDiesWithTheHost) {
  HostBed bed({.hosts = 2});
  EXPECT_EQ(bed.run("node1", {"ssh", "node2", "setsid sleep 1000 >/dev/null 2>&1 </dev/null &"}).code, 0);
  const auto seen = bed.processes("node2");
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].name, "sleep");
  EXPECT_TRUE(bed.processes("node1").empty());
  EXPECT_NE(bed.leftovers(seconds(0)).find("sleep 1000"), std::string::npos);
  const std::string space = pid_namespace(seen[0].pid);
  bed.kill_host("node2");
  EXPECT_TRUE(wait_until([&] { return processes_in(space) == 0; }, seconds(10)));
}

TEST_F(HostBedTest, ACommandIsKilledWithItsHandleAndItsOrphansStayOnTheHost) {
  HostBed bed({.hosts = 1});
  {
    const auto command = bed.start("node1", {"sh", "-c", "sleep 1000 & wait"});
    ASSERT_TRUE(wait_until([&] { return bed.processes("node1").size() == 2; }, seconds(10)));
  }
  const auto left = bed.processes("node1");
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].name, "sleep");
  bed.kill_process("node1", "sleep");
  EXPECT_EQ(bed.leftovers(seconds(10)), "");
}

TEST_F(HostBedTest, NothingIsLeftWhenTheOwnerOfABedIsKilled) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    HostBed bed({.hosts = 2});
    const auto command = bed.start("node2", {"sleep", "1000"});
    const pid_t pid = command.pid();
    if (::write(ready[1], &pid, sizeof pid) == sizeof pid) ::pause();
    ::_exit(1);
  }
  pid_t sleeper = 0;
  ::close(ready[1]);
  ASSERT_EQ(::read(ready[0], &sleeper, sizeof sleeper), static_cast<ssize_t>(sizeof sleeper));
  ::close(ready[0]);
  const std::string space = pid_namespace(sleeper);
  ASSERT_FALSE(space.empty());
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  EXPECT_TRUE(wait_until([&] { return processes_in(space) == 0; }, seconds(10)));
}

TEST_F(HostBedTest, SlurmRunsAStepOnEveryHost) {
  const auto reason = HostBed::why_not(true);
  if (!reason.empty()) GTEST_SKIP() << reason;
  HostBed bed({.hosts = 3, .slurm = true});
  const auto result = bed.run("node1", {"srun", "-N", "3", "hostname"}, seconds(60));
  EXPECT_EQ(result.code, 0) << result.err;
  auto lines = split(trim(result.out), '\n');
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::string>{"node1", "node2", "node3"}));
}

}  // namespace
}  // namespace ds::testing
