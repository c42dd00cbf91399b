// Output options of programs on this machine, plans, and notes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "tests/launcher/shell_job.h"
#include "tests/launcher/temporary_folder.h"
#include "tests/support/places.h"
#include "tests/support/poll.h"

namespace ds::testing {
namespace {

TEST(Output, TagsMarkWholeLinesOfRankAndStream) {
  RunResult result = run_dslaunch({"--oversubscribe", "-np", "2", "--tag-output", "sh", "-c",
                                   "printf 'half '; printf 'line\\nopen'; [ $RANK = 1 ] && echo e >&2; true"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(sorted_lines(result.out), (Words{"[1,0]<stdout>:half line", "[1,0]<stdout>:open", "[1,1]<stdout>:half line",
                                             "[1,1]<stdout>:open"}));
  EXPECT_EQ(result.err, "[1,1]<stderr>:e\n");
}

TEST(Output, LinesOfRanksAreNeverMixed) {
  RunResult result = run_dslaunch({"--oversubscribe", "-np", "3", "sh", "-c",
                                   "i=0; while [ $i -lt 500 ]; do printf '%s' $RANK-$RANK-; printf '%s\\n' $RANK; i=$((i+1)); done"});
  int lines = 0;
  for (const std::string& line : split(trim(result.out), '\n')) {
    ++lines;
    ASSERT_TRUE(line == "0-0-0" || line == "1-1-1" || line == "2-2-2") << line;
  }
  EXPECT_EQ(lines, 1500);
}

TEST(Output, FilesPerRankAsMpirunWritesThem) {
  TemporaryFolder folder;
  RunResult shown = run_dslaunch({"--oversubscribe", "-np", "2", "--output-filename", folder.path + "/o", "sh", "-c",
                                  "echo $RANK; echo e$RANK >&2"});
  EXPECT_EQ(folder.read("o/1/rank.1/stdout"), "1\n");
  EXPECT_EQ(folder.read("o/1/rank.0/stderr"), "e0\n");
  EXPECT_EQ(shown.out.size(), 4u);
  RunResult hidden = run_dslaunch({"-np", "1", "--output-filename", folder.path + "/p:nocopy", "echo", "x"});
  EXPECT_EQ(hidden.out, "");
  EXPECT_EQ(folder.read("p/1/rank.0/stdout"), "x\n");
}

TEST(Output, MergedStreamsAreOne) {
  RunResult result = run_dslaunch({"-np", "1", "--merge-stderr-to-stdout", "sh", "-c", "echo a; echo b >&2"});
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("b\n"), std::string::npos);
}

TEST(Output, AnOutputFolderKeepsLogsEventsAndState) {
  TemporaryFolder folder;
  RunResult result = run_dslaunch({"--oversubscribe", "-np", "2", "--output", folder.path + "/out", "sh", "-c",
                                   "echo out $RANK; [ $RANK = 1 ] && exit 4; sleep 300"});
  EXPECT_EQ(result.code, 4);
  EXPECT_EQ(folder.read("out/logs/1/rank1.log"), "out 1\n");
  nlohmann::json job = nlohmann::json::parse(folder.read("out/job.json"));
  EXPECT_EQ(job["state"], "failed");
  EXPECT_EQ(job["exit_code"], 4);
  std::vector<std::string> events;
  for (const std::string& line : split(trim(folder.read("out/events.jsonl")), '\n'))
    events.push_back(nlohmann::json::parse(line)["event"]);
  EXPECT_EQ(events.front(), "job_started");
  EXPECT_EQ(events.back(), "job_finished");
  EXPECT_EQ(std::count(events.begin(), events.end(), "rank_exited"), 2);
  run_dslaunch({"-np", "1", "--output", folder.path + "/out", "true"});
  nlohmann::json second = nlohmann::json::parse(folder.read("out/job.json"));
  EXPECT_EQ(second["generation"], 2) << "generations continue over launches";
}

TEST(Output, AnotherJobInAnOutputFolderHasNothingOfTheEndOfTheFirst) {
  TemporaryFolder folder;
  const std::string out = folder.path + "/out", go = folder.path + "/go";
  EXPECT_EQ(run_dslaunch(shell(1, "exit 4", {"--output", out})).code, 4);
  RunningDslaunch job(shell(1, "until [ -e " + go + " ]; do sleep 0.05; done", {"--output", out}));
  const auto state = [&] { return nlohmann::json::parse(folder.read("out/job.json"), nullptr, false); };
  ASSERT_TRUE(wait_until([&] { return state().value("state", "") == "running"; }, std::chrono::seconds(60))) << state();
  EXPECT_FALSE(state().contains("exit_code") || state().contains("reason")) << state();
  folder.write("go", "");
  EXPECT_EQ(job.wait().code, 0) << job.err();
  EXPECT_EQ(state()["state"], "finished");
  EXPECT_EQ(state()["exit_code"], 0);
  EXPECT_FALSE(state().contains("reason")) << state();
}

TEST(Output, ADryRunStartsNothingAndIsJsonOnRequest) {
  RunResult result = run_dslaunch({"--dry-run", "--json", "-H", "a:2,b", "./none"});
  EXPECT_EQ(result.code, 0) << result.err;
  nlohmann::json json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["ranks"].size(), 3u);
  EXPECT_EQ(json["ranks"][2]["host"], "b");
  RunResult text = run_dslaunch({"--dry-run", "-H", "a:2,b", "./none"});
  EXPECT_NE(text.out.find("hosts from -H"), std::string::npos);
}

TEST(Output, UnknownSlotsAreNullInADryRun) {
  TemporaryFolder folder;
  std::string hosts = folder.write("hosts", "far1\nfar2\n");
  RunResult result = run_dslaunch({"--dry-run", "--json", "--hostfile", hosts, "true"});
  EXPECT_EQ(result.code, 0);
  nlohmann::json json = nlohmann::json::parse(result.out);
  EXPECT_TRUE(json["hosts"][0]["slots"].is_null());
  EXPECT_FALSE(json.contains("ranks"));
  EXPECT_NE(result.err.find("known only to the hosts"), std::string::npos);
}

TEST(Output, ReportPidGoesToAFileOrAStream) {
  TemporaryFolder folder;
  const Words script = {"-np", "1", "sh", "-c", "true"};
  auto report = [&](const std::string& where) {
    Words words = {"--report-pid", where};
    words.insert(words.end(), script.begin(), script.end());
    RunningDslaunch job(words);
    const std::string pid = std::to_string(job.pid()) + "\n";
    return std::pair(pid, job.wait());
  };
  auto [out_pid, out] = report("-");
  EXPECT_EQ(out.out, out_pid);
  EXPECT_EQ(out.err, "");
  auto [err_pid, err] = report("+");
  EXPECT_EQ(err.err, err_pid);
  EXPECT_EQ(err.out, "");
  auto [file_pid, file] = report(folder.path + "/pid");
  EXPECT_EQ(folder.read("pid"), file_pid);
  EXPECT_EQ(file.out + file.err, "");
  auto [no_pid, refused] = report(folder.path + "/no/such/folder/pid");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("--report-pid"), std::string::npos) << refused.err;
}

TEST(Output, ReportBindingsPrintsTheLinesOfMpirun) {
  RunResult result = run_dslaunch({"-np", "1", "--bind-to", "core", "--report-bindings", "true"});
  char host[256] = {};
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  EXPECT_TRUE(result.err.starts_with("[" + std::string(host) + "] MCW rank 0 bound to socket 0[core 0[hwt 0")) << result.err;
  EXPECT_NE(result.err.find("]]: [B"), std::string::npos) << result.err;
  EXPECT_EQ(run_dslaunch({"-np", "1", "--bind-to", "none", "--report-bindings", "true"}).err, "");
  RunResult unbound = run_dslaunch({"-H", "localhost:1", "--oversubscribe", "-np", "2", "--report-bindings", "true"});
  EXPECT_NE(unbound.err.find("] MCW rank 0 is not bound"), std::string::npos) << unbound.err;
}

TEST(Output, MapAndAllocationAreShownAndThenTheJobRuns) {
  const Words show = {"-H", "localhost:2", "--display-map", "--display-allocation"};
  RunResult result = run_dslaunch(shell(1, "echo ran", show));
  EXPECT_EQ(result.code, 0) << result.err;
  const size_t allocation = result.out.find("hosts from -H\n  localhost  2 slots");
  const size_t map = result.out.find("ranks: 1\n  0    localhost");
  ASSERT_NE(allocation, std::string::npos) << result.out;
  ASSERT_NE(map, std::string::npos) << result.out;
  EXPECT_LT(allocation, map);
  EXPECT_TRUE(result.out.ends_with("ran\n")) << result.out;
}

TEST(Output, QuietLeavesNotesOutAndErrorsIn) {
  const Words words = {"-np", "1", "-x", "NO_SUCH_VARIABLE", "-x", "A*", "false"};
  RunResult told = run_dslaunch(words);
  for (const char* name : {"-x NO_SUCH_VARIABLE", "-x A*"}) EXPECT_NE(told.err.find(name), std::string::npos) << told.err;
  Words quiet = words;
  quiet.insert(quiet.begin(), "-q");
  RunResult silent = run_dslaunch(quiet);
  EXPECT_EQ(silent.err.find("-x"), std::string::npos) << silent.err;
  EXPECT_EQ(last_json(silent)["exit_code"], 1) << silent.err;
}

TEST(Output, UsageErrorsEndWithAJsonLineToo) {
  RunResult result = run_dslaunch({"--hostfil", "x", "true"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(nlohmann::json::parse(result.last_line())["exit_code"], 2);
}

TEST(Output, HelpAndVersionAreOnStandardOutput) {
  EXPECT_NE(run_dslaunch({"-h"}).out.find("Examples"), std::string::npos);
  EXPECT_TRUE(run_dslaunch({"-V"}).out.starts_with("dslaunch "));
}

// The exit code of `dslaunch -np 2 WORDS | head -n 1`.
int code_before_head(const std::string& words) {
  const std::string pipe = test::bin_folder() + "/dslaunch -np 2 " + words + " 2>/dev/null | head -n 1 >/dev/null";
  return WEXITSTATUS(std::system(("exec bash -s <<'END'\n" + pipe + "; exit ${PIPESTATUS[0]}\nEND").c_str()));
}

TEST(Output, ProgramsThatNobodyListensToAnyMoreEndAsInAnyPipe) { EXPECT_EQ(code_before_head("yes"), 128 + SIGPIPE); }

TEST(Output, WhatCannotBeWrittenIsToldOnce) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  RunOptions options;
  options.out_fd = full;
  const RunResult result = run_dslaunch({"-np", "2", "seq", "100000"}, options);
  ::close(full);
  EXPECT_EQ(result.code, 0);
  const std::string told = "dslaunch: stdout: No space left on device: what ranks write is lost from here on\n";
  EXPECT_EQ(result.err.find(told), result.err.rfind(told));
  EXPECT_NE(result.err.find(told), std::string::npos) << result.err;
}

TEST(Output, WhatACommandSaysIsItsResult) {
  for (const Words& words : {Words{"--help"}, Words{"--dry-run", "-np", "1", "true"}}) {
    const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    RunOptions options;
    options.out_fd = full;
    const RunResult result = run_dslaunch(words, options);
    ::close(full);
    EXPECT_EQ(result.code, 1) << words[0];
    EXPECT_NE(result.err.find("stdout: No space left on device"), std::string::npos) << words[0] << ": " << result.err;
  }
}

TEST(Output, EachRankHasALogWhereItIsAskedForAndALaterJobAddsToIt) {
  const TemporaryFolder folder;
  const Words job = {"-np", "2", "--oversubscribe", "--enable_each_rank_log", folder.path + "/logs", "sh", "-c", "echo out $RANK; echo err $RANK >&2"};
  EXPECT_EQ(run_dslaunch(job).code, 0);
  for (const std::string rank : {"0", "1"}) {
    Words lines = sorted_lines(folder.read("logs/rank" + rank + ".log"));
    EXPECT_EQ(lines, (Words{"err " + rank, "out " + rank}));
  }
  EXPECT_EQ(run_dslaunch(job).code, 0);
  EXPECT_EQ(sorted_lines(folder.read("logs/rank1.log")), (Words{"err 1", "err 1", "out 1", "out 1"}));
}

TEST(Output, AFolderForItThatCannotBeMadeIsAMistakeInTheOption) {
  for (const std::string option : {"--output-filename", "--enable_each_rank_log"}) {
    const RunResult result = run_dslaunch({"-np", "1", option, "/dev/null/x", "echo", "hi"});
    EXPECT_EQ(result.code, 2) << option;
    EXPECT_EQ(result.out, "") << option;
    EXPECT_NE(result.err.find("option " + option + ": cannot make folder /dev/null/x"), std::string::npos) << result.err;
  }
  EXPECT_EQ(run_dslaunch({"-np", "1", "--output-filename", "/dev/null/x:nocopy", "echo", "hi"}).code, 2);
}

}  // namespace
}  // namespace ds::testing
