// Agents that start agents: who logs in where, and what happens when a branch breaks.
#include <algorithm>
#include <map>

#include "tests/cluster/job_fixture.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;
using Starters = std::map<std::string, std::string>;  // host -> the address that logged in there

class StartTree : public JobTest {
 protected:
  StartTree() : JobTest(false, 7) {}

  // Where each agent was started from, told by one rank per host: sshd says it to what it starts, and a rank's parent
  // has the environment of its agent.
  Starters starters(const std::vector<std::string>& options) {
    const std::string script =
        "echo $(hostname) $(tr '\\0' '\\n' </proc/$PPID/environ | sed -n 's/^SSH_CLIENT=\\([^ ]*\\) .*/\\1/p')";
    auto words = launch({"-N", "1"});
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"sh", "-c", script});
    const auto result = bed().run("node1", words, seconds(90));
    EXPECT_EQ(result.code, 0) << result.err;
    Starters starters;
    for (const std::string& line : split(trim(result.out), '\n')) {
      const auto parts = split(line, ' ');
      starters[parts[0]] = parts.size() > 1 ? parts[1] : "";
    }
    starters.erase("node1");  // where dslaunch is: a child of it
    expect_nothing_left();
    return starters;
  }
};

constexpr const char *kNode1 = "10.77.0.1", *kNode2 = "10.77.0.2", *kNode3 = "10.77.0.3";

TEST_F(StartTree, EveryAgentStartsTheNextOnes) {
  const Starters expected = {{"node2", kNode1}, {"node3", kNode1}, {"node4", kNode2},
                             {"node5", kNode2}, {"node6", kNode3}, {"node7", kNode3}};
  EXPECT_EQ(starters({"--fan-out", "2"}), expected);
}

TEST_F(StartTree, WithFewHostsOrOnRequestTheLauncherStartsAll) {
  Starters expected;
  for (int host = 2; host <= 7; ++host) expected["node" + std::to_string(host)] = kNode1;
  EXPECT_EQ(starters({}), expected);
  EXPECT_EQ(starters({"--fan-out", "2", "--mca", "plm_rsh_no_tree_spawn", "1", "--fan-out", "0"}), expected);
}

TEST_F(StartTree, AHostThatOthersCannotReachIsStartedByTheLauncher) {
  const auto broken = bed().run("node2", {"mount", "--bind", "/bin/false", "/usr/bin/ssh"});
  ASSERT_EQ(broken.code, 0) << broken.err;
  const Starters expected = {{"node2", kNode1}, {"node3", kNode1}, {"node4", kNode1},
                             {"node5", kNode1}, {"node6", kNode3}, {"node7", kNode3}};
  EXPECT_EQ(starters({"--fan-out", "2"}), expected);
}

TEST_F(StartTree, HostsThatDoNotAnswerAreNamedAlsoBelowOneThatDoesNot) {
  bed().cut("node2");  // the way to node4 and node5
  bed().cut("node5");
  bed().cut("node6");
  const auto result = bed().run("node1", launch({"--fan-out", "2", "true"}), seconds(90));
  EXPECT_EQ(result.code, 75) << result.err;
  for (const char* host : {"node2", "node5", "node6"}) EXPECT_NE(result.err.find(host), std::string::npos) << result.err;
  for (const char* host : {"node3", "node4", "node7"}) EXPECT_EQ(result.err.find(host), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("no answer in 10 s"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("node2: given up; others are still on their way"), std::string::npos) << result.err;
  expect_nothing_left(seconds(40));
}

TEST_F(StartTree, AnAgentThatDiesTakesTheJobButLeavesNothingBelowIt) {
  auto words = launch({"--fan-out", "1", "sh", "-c", "echo up; sleep 600"});
  HostCommand job = bed().start("node1", words);
  const auto all_up = [&job] {
    const std::string out = job.out();
    return std::count(out.begin(), out.end(), '\n') == 14;
  };
  ASSERT_TRUE(wait_until(all_up, seconds(60))) << job.out() << job.err();
  bed().kill_process("node3", "dsagent");
  EXPECT_EQ(job.wait(seconds(60)), 98) << job.err();
  EXPECT_NE(job.err().find("node3"), std::string::npos) << job.err();
  expect_nothing_left(seconds(40));
}

}  // namespace
}  // namespace ds::testing
