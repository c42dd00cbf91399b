// Exit codes and last words as scripts written for mpirun rely on them: the first table of
// tests/launcher_contract.md.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "tests/launcher/fake_login.h"
#include "tests/launcher/shell_job.h"
#include "tests/support/places.h"
#include "topology/base/wall_clock.h"

namespace ds::testing {
namespace {

double now() { return static_cast<double>(wall_clock_ns()) / 1e9; }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(MpirunContract, OfSeveralFailuresTheFirstGivesTheCode) {
  TemporaryFolder folder;
  const std::string ready = folder.path + "/ready";
  const std::string script = "if [ $RANK = 1 ]; then until [ -e " + ready + " ]; do sleep 0.05; done; exit 3; fi; "
                             "trap 'exit 4' TERM; : >" + ready + "; while :; do sleep 0.05; done";
  RunResult result = run_dslaunch(shell(2, script), marked());
  EXPECT_EQ(result.code, 3) << result.err;
  EXPECT_EQ(last_json(result)["rank"], 1) << result.err;
  EXPECT_EQ(processes_left(mark()), "");
}

TEST(MpirunContract, ExitCode255IsKept) {
  RunResult result = run_dslaunch(shell(2, "exit 255"));
  EXPECT_EQ(result.code, 255) << result.err;
  EXPECT_EQ(last_json(result)["exit_code"], 255);
}

TEST(MpirunContract, AFolderIs126AndAMissingInterpreter127) {
  RunResult folder = run_dslaunch({"-np", "1", "/usr"});
  EXPECT_EQ(folder.code, 126);
  EXPECT_TRUE(contains(folder.err, "cannot execute /usr: Is a directory")) << folder.err;
  TemporaryFolder place;
  const std::string script = place.program("script", "#!/no/such/interpreter\n");
  RunResult missing = run_dslaunch({"-np", "1", script});
  EXPECT_EQ(missing.code, 127);
  EXPECT_TRUE(contains(missing.err, "cannot execute " + script)) << missing.err;
  EXPECT_TRUE(contains(missing.err, "the interpreter that its first line names")) << missing.err;
}

TEST(MpirunContract, WhatTheKernelCannotExecuteIsNotGivenToAShell) {
  TemporaryFolder place;
  for (const std::string content : {"", "echo not a program of this machine\n"}) {
    RunResult result = run_dslaunch({"-np", "1", place.program("program", content)});
    EXPECT_EQ(result.code, 126) << result.out;
    EXPECT_TRUE(contains(result.err, "Exec format error")) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST(MpirunContract, AProgramOfTheWorkingFolderNeedsNoDotSlash) {
  TemporaryFolder place;
  place.program("only_here", "#!/bin/sh\necho $0\n");
  RunResult result = run_dslaunch({"-np", "1", "--wdir", place.path, "only_here"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, place.path + "/only_here\n");
}

// The next file or socket would get number 0, 1 or 2.
TEST(MpirunContract, ALauncherWithoutStandardStreamsUsesNoOtherInTheirPlace) {
  TemporaryFolder place;
  const std::string folder = place.path + "/out", inner = test::bin_folder() + "/dslaunch --output " + folder;
  RunResult result = run_dslaunch({"-np", "1", "sh", "-c", "exec <&- >&- 2>&-; exec " + inner +
                                   " -np 1 sh -c 'cat; echo to stdout; echo to stderr >&2'"});
  EXPECT_EQ(result.code, 0) << result.err;
  std::ifstream events(folder + "/events.jsonl");
  int lines = 0;
  for (std::string line; std::getline(events, line); ++lines) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
  EXPECT_GT(lines, 2);
}

TEST(MpirunContract, AWorkingFolderThatIsAFileIsAUsageError) {
  RunResult result = run_dslaunch({"-np", "1", "--wdir", "/etc/passwd", "true"});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(contains(result.err, "/etc/passwd: Not a directory")) << result.err;
}

TEST(MpirunContract, AHostfileThatIsNoneEndsTheJobBeforeItStarts) {
  TemporaryFolder folder;
  auto refusal = [&](const std::string& hostfile) {
    RunResult result = run_dslaunch({"--hostfile", hostfile, "touch", folder.path + "/ran"});
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_EQ(last_json(result)["exit_code"], 2);
    EXPECT_FALSE(folder.has("ran"));
    return result.err;
  };
  EXPECT_TRUE(contains(refusal(folder.path + "/missing"), folder.path + "/missing: No such file"));
  EXPECT_TRUE(contains(refusal(folder.write("empty", "# nobody\n")), "has no hosts"));
  EXPECT_TRUE(contains(refusal(folder.write("half", "localhost slots=2\n%bad\n")), "half:2"));
}

TEST(MpirunContract, ALoginThatFailsIsToldAtOnceAndNotWaitedFor) {
  RunResult result = run_dslaunch({"-H", kElsewhere, "--ssh", "false", "true"});
  EXPECT_EQ(result.code, 75);
  EXPECT_TRUE(contains(result.err, std::string("agent ended with code 1 on: ") + kElsewhere)) << result.err;
  EXPECT_FALSE(contains(result.err, "no answer")) << result.err;
}

TEST(MpirunContract, ALoginThatHangsIsGivenUpAndNotLeftBehind) {
  TemporaryFolder folder;
  RunResult result = run_dslaunch({"-H", kElsewhere, "--ssh", fake_login(folder, "exec sleep 300"), "true"}, marked());
  EXPECT_EQ(result.code, 75);
  EXPECT_TRUE(contains(result.err, std::string("no answer in 10 s: ") + kElsewhere)) << result.err;
  EXPECT_EQ(last_json(result)["host"], kElsewhere);
  EXPECT_EQ(processes_left(mark()), "");
}

TEST(MpirunContract, AHostIsLoggedInToByTheNameItWasGiven) {
  const std::vector<std::pair<std::string, std::string>> hosts = {
      {"a_b", "a_b"},
      {"fe80::1", "fe80::1"},
      {"2001:db8::10", "2001:db8::10"},
      {"[2001:db8::10]:2222", "-p 2222 2001:db8::10"}};
  for (const auto& [line, words] : hosts) {
    TemporaryFolder folder;
    const std::string login = fake_login(folder, "echo \"$@\" >>" + folder.path + "/words");
    const std::string hostfile = folder.write("hosts", line + " slots=1\n");
    RunResult result = run_dslaunch({"--hostfile", hostfile, "--ssh", login, "echo", "through"});
    EXPECT_EQ(result.code, 0) << line << "\n" << result.err;
    EXPECT_EQ(result.out, "through\n");
    EXPECT_TRUE(contains(folder.read("words"), "ConnectTimeout=10 " + words + " exec ")) << folder.read("words");
  }
}

TEST(MpirunContract, APrefixSaysWhereHostsHaveTheAgent) {
  TemporaryFolder folder;
  const Words hosts = {"-H", kElsewhere, "--ssh", fake_login(folder), "--prefix", "/no/such/prefix"};
  RunResult result = run_dslaunch(shell(1, "true", hosts));
  EXPECT_EQ(result.code, 75);
  EXPECT_TRUE(contains(result.err, std::string("no dsagent on: ") + kElsewhere)) << result.err;
  EXPECT_TRUE(contains(result.err, "/no/such/prefix/bin/dsagent")) << result.err;
}

TEST(MpirunContract, NoParameterOfMpirunTurnsAFailureIntoSuccess) {
  EXPECT_EQ(run_dslaunch(shell(1, "exit 4", {"--mca", "orte_abort_on_non_zero_status", "0"})).code, 4);
  EXPECT_EQ(run_dslaunch(shell(1, "true", {"--enable-recovery"})).code, 2);
}

TEST(MpirunContract, TheTimeLimitMayComeFromTheEnvironment) {
  auto with_limit = [](const std::string& limit, const Words& options = {}, const std::string& script = "true") {
    return run_dslaunch(shell(1, script, options), {"", {{"MPIEXEC_TIMEOUT", limit}}, "/tmp"});
  };
  EXPECT_EQ(with_limit("1", {}, "sleep 300").code, 110);
  for (const char* limit : {"x", "0", "-1"}) {
    RunResult result = with_limit(limit);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_TRUE(contains(result.err, std::string("MPIEXEC_TIMEOUT=") + limit)) << result.err;
  }
  EXPECT_EQ(with_limit("x", {"--timeout", "300"}).code, 0) << "the option is the answer, the variable is not asked";
  EXPECT_EQ(with_limit("").code, 0) << "as if it were not set";
  EXPECT_EQ(with_limit("x", {"--timeout", "0"}).code, 0) << "no limit";
}

TEST(MpirunContract, LastWordsComeWholeAndTheVerdictOnLinesOfItsOwn) {
  RunResult result = run_dslaunch(shell(1, "printf 'one\\ntwo\\nlast' >&2; kill -ABRT $$"));
  EXPECT_EQ(result.code, 128 + SIGABRT);
  EXPECT_TRUE(result.err.starts_with("one\ntwo\nlast\ndslaunch: rank 0 ")) << result.err;
  EXPECT_TRUE(last_json(result).is_object()) << result.err;
}

TEST(MpirunContract, TheLastLineNamesGenerationAndLog) {
  TemporaryFolder folder;
  const std::string script = "echo from $RANK; [ $RANK = 1 ] && exit 3; sleep 300";
  RunResult result = run_dslaunch(shell(2, script, {"--output", folder.path + "/out"}));
  const nlohmann::json json = last_json(result);
  EXPECT_EQ(json["generation"], 1) << result.err;
  EXPECT_EQ(json["log"], folder.path + "/out/logs/1/rank1.log");
  EXPECT_EQ(folder.read("out/logs/1/rank1.log"), "from 1\n");
  EXPECT_FALSE(last_json(run_dslaunch(shell(1, "exit 3"))).contains("log")) << "without an output folder there is none";
}

TEST(MpirunContract, TheLastLineTellsWhenTheFirstErrorWas) {
  TemporaryFolder folder;
  const std::string ready = folder.path + "/ready", script =
      "if [ $RANK = 1 ]; then until [ -e " + ready + " ]; do sleep 0.05; done; date +%s.%N; exit 3; fi; "
      "trap 'date +%s.%N; exit 4' TERM; : >" + ready + "; while :; do sleep 0.05; done";
  RunResult result = run_dslaunch(shell(2, script));
  const Words ends = split(trim(result.out), '\n');
  EXPECT_GE(last_json(result).value("time", 0.0), std::stod(ends[0])) << result.err;
  EXPECT_LE(last_json(result).value("time", 0.0), ends.size() > 1 ? std::stod(ends[1]) : now()) << result.err;
  for (const auto& words : {Words{"--no-such-option", "true"}, shell(1, "sleep 300", {"--timeout", "0.5"})}) {
    const double before = now();
    result = run_dslaunch(words);
    EXPECT_GE(last_json(result).value("time", 0.0), before) << result.err;
    EXPECT_LE(last_json(result).value("time", 0.0), now()) << result.err;
  }
}

TEST(MpirunContract, ARankThatKillsItsSiblingsIsAFailureOfRanksAndNotOfTheHost) {
  const std::string kill_others = "for p in $(cat /proc/$PPID/task/*/children); do if [ $p != $$ ]; then kill -KILL $p; killed=$p; fi; done";
  const std::string script = "if [ $RANK = 0 ]; then until [ $killed ]; do " + kill_others + "; done; fi; sleep 300";
  RunResult result = run_dslaunch(shell(2, script), marked());
  EXPECT_EQ(result.code, 137) << result.err;
  EXPECT_TRUE(last_json(result).contains("rank")) << result.err;
  EXPECT_EQ(processes_left(mark()), "");
}

}  // namespace
}  // namespace ds::testing
