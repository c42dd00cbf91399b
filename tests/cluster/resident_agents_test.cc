// Resident agents over real logins: jobs start through them, without them, and when they are gone.
#include <signal.h>

#include <algorithm>

#include "tests/cluster/job_fixture.h"
#include "topology/base/hex.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;
using Words = std::vector<std::string>;

class ResidentAgents : public JobTest {
 protected:
  void TearDown() override {
    if (!IsSkipped()) agents({"stop"});
  }

  HostBed::Result dslaunch(const Words& words) {
    CommandOptions options;
    options.environment["XDG_STATE_HOME"] = folder("state");
    Words all = {program("dslaunch")};
    all.insert(all.end(), words.begin(), words.end());
    return bed().run("node1", all, seconds(90), options);
  }
  HostBed::Result agents(Words words) {
    words.insert(words.begin(), "agents");
    return dslaunch(words);
  }
  void start(const Words& options = {}) {
    Words words = {"start", "--hostfile", hostfile()};
    words.insert(words.end(), options.begin(), options.end());
    const auto result = agents(words);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.err.find("node1 is this machine"), std::string::npos) << result.err;
    EXPECT_NE(result.out.find("node2: started, pid"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("node3: started, pid"), std::string::npos) << result.out;
  }

  // "node2 resident" or "node2 login" for each host but the first, in order: what the parent of its agent is.
  std::string ways() {
    const std::string script =
        "parent() { sed 's/.*) . \\([0-9]*\\) .*/\\1/' /proc/$1/stat; }; agent=$(parent $PPID); "
        "case $(tr '\\0' ' ' </proc/$(parent $agent)/cmdline) in *--resident*) echo $(hostname) resident;; *) echo $(hostname) login;; esac";
    const auto result = dslaunch({"--hostfile", hostfile(), "-N", "1", "sh", "-c", script});
    EXPECT_EQ(result.code, 0) << result.err;
    Words lines = split(trim(result.out), '\n');
    std::sort(lines.begin(), lines.end());
    lines.erase(std::remove_if(lines.begin(), lines.end(), [](const auto& line) { return line.starts_with("node1"); }), lines.end());
    return join(lines, ", ");
  }

  bool gone(const std::string& host) { return bed().processes(host).empty(); }
};

TEST_F(ResidentAgents, AreCalledByTheJobsThatFollowUntilTheyAreStopped) {
  EXPECT_EQ(ways(), "node2 login, node3 login");
  start();
  EXPECT_EQ(ways(), "node2 resident, node3 resident");
  EXPECT_EQ(ways(), "node2 resident, node3 resident") << "again";
  const auto full = dslaunch({"--hostfile", hostfile(), "sh", "-c", "echo $RANK of $WORLD_SIZE"});
  Words ranks = split(trim(full.out), '\n');
  std::sort(ranks.begin(), ranks.end());
  EXPECT_EQ(ranks, (Words{"0 of 6", "1 of 6", "2 of 6", "3 of 6", "4 of 6", "5 of 6"})) << full.err;
  const auto again = agents({"start", "--hostfile", hostfile()});
  EXPECT_NE(again.out.find("node2: there already"), std::string::npos) << again.out;
  const auto list = nlohmann::json::parse(agents({"list", "--json"}).out);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[1].at("host"), "node3");
  EXPECT_EQ(list[1].at("state"), "ready");
  EXPECT_EQ(list[1].at("jobs"), 0);
  EXPECT_EQ(agents({"stop"}).code, 0);
  expect_nothing_left();
  EXPECT_EQ(ways(), "node2 login, node3 login");
  EXPECT_EQ(agents({"list"}).out, "no resident agents\n");
}

TEST_F(ResidentAgents, NeedNoLogin) {
  start();
  for (const char* host : {"node2", "node3"}) bed().run(host, {"pkill", "-x", "sshd"});
  EXPECT_EQ(ways(), "node2 resident, node3 resident");
}

TEST_F(ResidentAgents, OneThatDiedIsReplacedByALogin) {
  start();
  bed().kill_process("node3", "dsagent");
  EXPECT_EQ(ways(), "node2 resident, node3 login");
  const auto list = agents({"list"});
  EXPECT_NE(list.out.find("node3: no answer"), std::string::npos) << list.out;
  const auto again = agents({"start", "--hostfile", hostfile()});
  EXPECT_NE(again.out.find("node2: there already"), std::string::npos) << again.out;
  EXPECT_NE(again.out.find("node3: started"), std::string::npos) << again.out;
  EXPECT_EQ(ways(), "node2 resident, node3 resident");
}

TEST_F(ResidentAgents, AJobThatIsKilledOrFailsLeavesThemAloneAndNothingElse) {
  start();
  CommandOptions options;
  options.environment["XDG_STATE_HOME"] = folder("state");
  HostCommand job = bed().start("node1", launch({"sh", "-c", "echo up; sleep 600"}), options);
  ASSERT_TRUE(wait_until([&] { const auto out = job.out(); return std::count(out.begin(), out.end(), '\n') == 6; }, seconds(60)))
      << job.out() << job.err();
  job.signal(SIGKILL);
  const auto only_residents = [&] { return bed().processes("node1").empty() && bed().processes("node2").size() == 1 && bed().processes("node3").size() == 1; };
  EXPECT_TRUE(wait_until(only_residents, seconds(40)));
  const auto failed = dslaunch({"--hostfile", hostfile(), "sh", "-c", "test $RANK != 3 || exit 7; sleep 600"});
  EXPECT_EQ(failed.code, 7) << failed.err;
  EXPECT_TRUE(wait_until(only_residents, seconds(10)));
  EXPECT_EQ(ways(), "node2 resident, node3 resident");
}

TEST_F(ResidentAgents, EndByThemselvesWhenNoJobComes) {
  start({"--idle", "3s"});
  EXPECT_EQ(ways(), "node2 resident, node3 resident");
  EXPECT_TRUE(wait_until([&] { return gone("node2") && gone("node3"); }, seconds(60)));
  EXPECT_EQ(ways(), "node2 login, node3 login");
}

TEST_F(ResidentAgents, NobodyWithoutTheKeyIsHeardAndTheKeyIsPrivate) {
  start();
  const auto mode = bed().run("node1", {"stat", "-c", "%a", folder("state") + "/dslaunch/agents/node2"});
  EXPECT_EQ(mode.out, "600\n");
  const auto port = bed().run("node1", {"sed", "-n", "s/^port //p", folder("state") + "/dslaunch/agents/node2"});
  const std::string knock = "exec 3<>/dev/tcp/node2/" + std::string(trim(port.out)) + "; head -c 200000 /dev/urandom >&3; cat <&3 | wc -c";
  const auto heard = bed().run("node1", {"timeout", "20", "bash", "-c", knock});
  EXPECT_EQ(trim(heard.out), "40") << "its greeting, and the end: " << heard.err;
  const auto told = agents({"list"});
  EXPECT_NE(told.out.find("1 connection refused, the last from 10.77.0.1:"), std::string::npos) << told.out;
  bed().run("node1", {"sed", "-i", "s/^key ./key 0/; s/^key 0./key 0f/", folder("state") + "/dslaunch/agents/node3"});
  EXPECT_EQ(ways(), "node2 resident, node3 login") << "node3 has another key now";
  bed().run("node3", {"pkill", "dsagent"});
}

// One host by a resident agent, one by a login: what anybody there can read holds neither the job's key nor an agent's.
TEST_F(ResidentAgents, KeysStandInTheFilesOfTheirOwnerAlone) {
  start();
  ASSERT_EQ(agents({"stop", "node3"}).code, 0);
  CommandOptions options;
  options.environment["XDG_STATE_HOME"] = folder("state");
  HostCommand job = bed().start(
      "node1", launch({"-v", "--output", folder("out"), "sh", "-c", "env; echo up; sleep 600"}), options);
  ASSERT_TRUE(wait_until([&] { return std::ranges::count(split(job.out(), '\n'), "up") == 6; }, seconds(60))) << job.err();
  const auto owned = bed().run("node1", {"sh", "-c", "find " + folder("state") + " -type f -exec cat {} +"}, seconds(20));
  Words keys;
  for (size_t at = owned.out.find("key"); at != std::string::npos; at = owned.out.find("key", at + 1)) {
    const size_t first = owned.out.find_first_of("0123456789abcdef", at + 3);
    const size_t end = std::min(owned.out.find_first_not_of("0123456789abcdef", first), owned.out.size());
    if (first != std::string::npos && end - first == 64) keys.push_back(owned.out.substr(first, 64));
  }
  ASSERT_EQ(keys.size(), 2u) << "the job's and node2's: " << owned.out;
  std::string seen = job.out() + job.err();
  for (const auto& host : bed().names())
    seen += bed().run(host, {"sh", "-c", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ"}, seconds(20)).out;
  seen += bed().run("node1", {"sh", "-c", "find " + folder("out") + " -type f -exec cat {} +"}, seconds(20)).out;
  EXPECT_NE(seen.find("WORLD_SIZE=6"), std::string::npos);
  EXPECT_NE(seen.find("generation_forming"), std::string::npos);
  for (const std::string& key : keys) {
    EXPECT_EQ(seen.find(key), std::string::npos);
    EXPECT_EQ(seen.find(from_hex(key)), std::string::npos);
  }
  job.signal(SIGTERM);
  EXPECT_EQ(job.wait(seconds(60)), 143) << job.err();
}

TEST_F(ResidentAgents, AHostThatCannotBeReachedIsNamedAndTheOthersAreThere) {
  bed().cut("node3");
  const auto result = agents({"start", "--hostfile", hostfile()});
  EXPECT_EQ(result.code, 75) << result.err;
  EXPECT_NE(result.out.find("node2: started"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("no answer in 10 s: node3"), std::string::npos) << result.err;
}

TEST_F(ResidentAgents, WhatIsNotMeantIsRefused) {
  for (const Words& words : {Words{}, {"begin"}, {"start", "--idle", "never"}, {"start", "-H", "node2", "program"}, {"stop", "node9"},
                             {"list", "--all"}}) {
    const auto result = agents(words);
    EXPECT_EQ(result.code, 2) << join(words, " ") << result.err;
    EXPECT_NE(result.err.find("dslaunch agents"), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace ds::testing
