// Any program on three hosts over ssh: ranks, output, exit codes, MPI.
#include <algorithm>

#include "tests/cluster/job_fixture.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;
using ProgramOnThreeHosts = JobTest;

std::vector<std::string> sorted_lines(const std::string& text) {
  auto lines = split(trim(text), '\n');
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST_F(ProgramOnThreeHosts, RunsTwoRanksOnEachHostAndShowsTheirLines) {
  const auto result = bed().run("node1", launch({"sh", "-c", "echo $RANK/$WORLD_SIZE $(hostname) $LOCAL_RANK"}), seconds(60));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(sorted_lines(result.out), (std::vector<std::string>{"0/6 node1 0", "1/6 node1 1", "2/6 node2 0", "3/6 node2 1",
                                                                "4/6 node3 0", "5/6 node3 1"}));
  expect_nothing_left();
}

TEST_F(ProgramOnThreeHosts, EndsWithTheCodeOfTheFirstRankThatFailsAndNamesIt) {
  const auto result = bed().run("node1", launch({"sh", "-c", "if [ $RANK = 4 ]; then echo last words >&2; exit 3; fi; sleep 600"}),
                                seconds(60));
  EXPECT_EQ(result.code, 3) << result.err;
  const auto error = last_error(result.err);
  EXPECT_EQ(error.value("rank", -1), 4) << result.err;
  EXPECT_EQ(error.value("host", ""), "node3") << result.err;
  EXPECT_EQ(error.value("exit_code", -1), 3) << result.err;
  EXPECT_NE(result.err.find("last words"), std::string::npos);
  expect_nothing_left();
}

TEST_F(ProgramOnThreeHosts, AnMpiProgramIsOneWorldOverAllHosts) {
  const auto result = bed().run("node1", launch({program("mpi_sum")}), seconds(90));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(sorted_lines(result.out), std::vector<std::string>(6, "size=6 sum=15")) << result.err;
  expect_nothing_left();
}

TEST_F(ProgramOnThreeHosts, ProgramsOnHostsOfTheirOwnAreOneWorld) {
  const std::string show = "echo $RANK $(hostname) $LOCAL_RANK";
  const auto result = bed().run("node1", {program("dslaunch"), "-H", "node2:2", "-np", "1", "sh", "-c", show,
                                          ":", "-H", "node3:1", "-H", "node1", "-np", "2", "sh", "-c", show,
                                          ":", "-np", "1", "sh", "-c", show}, seconds(60));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(sorted_lines(result.out), (std::vector<std::string>{"0 node2 0", "1 node3 0", "2 node1 0", "3 node2 1"}));
  const std::string mpi = program("mpi_sum");
  const auto world = bed().run("node1", {program("dslaunch"), "-H", "node2:2", "-np", "1", mpi, ":", "-H", "node3", "-np", "1", mpi,
                                         ":", "-np", "1", mpi}, seconds(90));
  EXPECT_EQ(world.code, 0) << world.err;
  EXPECT_EQ(sorted_lines(world.out), std::vector<std::string>(3, "size=3 sum=3")) << world.err;
  expect_nothing_left();
}

TEST_F(ProgramOnThreeHosts, AllRanksMeetAtAnAddressOfTheFirstHostThatTheOthersReach) {
  const std::string script = "exec 3<>/dev/tcp/$MASTER_ADDR/22 && read -t 20 line <&3; echo $MASTER_ADDR $MASTER_PORT ${line%%-*}";
  const auto result = bed().run("node1", launch({"bash", "-c", script}), seconds(60));
  EXPECT_EQ(result.code, 0) << result.err;
  const auto lines = sorted_lines(result.out);
  EXPECT_EQ(lines, std::vector<std::string>(6, lines[0])) << "one port for all";
  EXPECT_TRUE(lines[0].starts_with("10.77.0.1 ") && lines[0].ends_with(" SSH")) << lines[0] << ": node1 and its sshd";
  expect_nothing_left();
}

TEST_F(ProgramOnThreeHosts, AMachineHasOneNameInAHostfile) {
  bed().run("node1", {"sh", "-c", "echo '10.77.0.1 node1-nfs' >>/etc/hosts"});
  std::ofstream(hostfile()) << "node1 slots=2\nnode1-nfs slots=2\nnode2 slots=2\n";
  const auto here = bed().run("node1", launch({"true"}), seconds(60));
  EXPECT_EQ(here.code, 2) << here.err;
  EXPECT_NE(here.err.find("node1 and node1-nfs are all this machine"), std::string::npos) << here.err;
  std::ofstream(hostfile()) << "node1 slots=2\nnode2 slots=2\n10.77.0.2 slots=2\n";
  const auto there = bed().run("node1", launch({"true"}), seconds(60));
  EXPECT_EQ(there.code, 2) << there.err;
  EXPECT_NE(there.err.find("are one machine"), std::string::npos) << there.err;
  for (const char* name : {"node2", "10.77.0.2"}) EXPECT_NE(there.err.find(name), std::string::npos) << there.err;
  expect_nothing_left();
}

TEST_F(ProgramOnThreeHosts, AHostThatCannotBeReachedIsNamedAndTheJobDoesNotStart) {
  bed().cut("node3");
  const auto result = bed().run("node1", launch({"true"}), seconds(60));
  EXPECT_EQ(result.code, 75) << result.err;
  EXPECT_NE(result.err.find("node3"), std::string::npos) << result.err;
  expect_nothing_left();
}

TEST_F(ProgramOnThreeHosts, AHostWhoseNameNobodyKnowsIsTold) {
  const auto result = bed().run("node1", {program("dslaunch"), "-H", "node1:1,nowhere:1", "true"}, seconds(60));
  EXPECT_EQ(result.code, 75) << result.err;
  EXPECT_NE(result.err.find("not found on: nowhere"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("Could not resolve hostname nowhere"), std::string::npos) << result.err;
  expect_nothing_left();
}

TEST_F(ProgramOnThreeHosts, AKillForMemoryIsToldAsWhatItIs) {
  const std::string own_counter = "cp /proc/vmstat /run/vmstat; mount --bind /run/vmstat /proc/vmstat";
  const auto counted = bed().run("node2", {"sh", "-ec", own_counter});
  ASSERT_EQ(counted.code, 0) << counted.err;
  const std::string others = "[ $RANK = 2 ] || exec sleep 600; ", memory_ran_out = "echo oom_kill 1000000 >/run/vmstat; ";
  const auto result = bed().run("node1", launch({"sh", "-c", others + memory_ran_out + "kill -KILL $$"}), seconds(60));
  EXPECT_EQ(result.code, 137) << result.err;
  EXPECT_EQ(last_error(result.err).value("host", ""), "node2") << result.err;
  for (const char* words : {"rank 2 on node2 was killed by signal 9 (SIGKILL)", "out-of-memory killer acted", "--mem"})
    EXPECT_NE(result.err.find(words), std::string::npos) << words << ": " << result.err;
  const auto from_outside = bed().run("node1", launch({"sh", "-c", others + "kill -KILL $$"}), seconds(60));
  EXPECT_EQ(from_outside.code, 137) << from_outside.err;
  EXPECT_EQ(from_outside.err.find("out-of-memory"), std::string::npos) << from_outside.err;
  expect_nothing_left();
}

}  // namespace
}  // namespace ds::testing
