// How ends of ranks are judged, as mpirun's users expect.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "launcher/output/verdict.h"

namespace ds {
namespace {

RankEnd end_of(int code, int signal = 0) {
  RankEnd end;
  end.rank = 1;
  end.host = "node2";
  end.pid = 42;
  end.exit_code = code;
  end.signal = signal;
  return end;
}

int code_of(const RankEnd& end, int world = 2, bool wires_up = true) {
  std::optional<Verdict> verdict = judge(end, world, wires_up);
  return verdict ? verdict->exit_code : 0;
}

TEST(Verdict, ExitCodesAndSignalsAreKept) {
  EXPECT_EQ(code_of(end_of(0)), 0);
  EXPECT_EQ(code_of(end_of(3)), 3);
  EXPECT_EQ(code_of(end_of(255)), 255);
  EXPECT_EQ(code_of(end_of(0, SIGKILL)), 137);
  EXPECT_EQ(code_of(end_of(0, SIGSEGV)), 139);
}

TEST(Verdict, AProgramThatCannotStartSaysWhy) {
  RankEnd end = end_of(127);
  end.start_error = "./x: No such file or directory";
  std::optional<Verdict> verdict = judge(end, 2, true);
  EXPECT_EQ(verdict->exit_code, 127);
  EXPECT_EQ(verdict->error, end.start_error);
}

TEST(Verdict, EndingWithoutFinalizeIsOneWithAdvice) {
  RankEnd end = end_of(0);
  end.connected = end.links_mpi = true;
  std::optional<Verdict> verdict = judge(end, 2, true);
  EXPECT_EQ(verdict->exit_code, 1);
  EXPECT_NE(verdict->advice.find("exiting improperly"), std::string::npos);
  end.finalized = true;
  EXPECT_EQ(code_of(end), 0);
}

TEST(Verdict, AWorldOfOneInDisguiseIsAnError) {
  RankEnd end = end_of(0);
  end.links_mpi = true;
  EXPECT_EQ(code_of(end, 2), 1);
  EXPECT_NE(judge(end, 2, true)->error.find("did not wire up"), std::string::npos);
  EXPECT_EQ(code_of(end, 1), 0);
  EXPECT_EQ(code_of(end, 2, false), 0) << "--wireup none was asked for";
}

TEST(Verdict, AbortCodesAreTakenModulo256AndNeverZero) {
  EXPECT_EQ(judge_abort(1, "h", 5, "").exit_code, 5);
  EXPECT_EQ(judge_abort(1, "h", 300, "").exit_code, 44);
  EXPECT_EQ(judge_abort(1, "h", 256, "").exit_code, 1);
}

TEST(Verdict, OnlyClocksOfOneHostAreCompared) {
  Verdict first = *judge(end_of(3), 2, true), later = first;
  first.time_ns = 200;
  later.time_ns = 100;
  EXPECT_TRUE(happened_before(later, first));
  later.host = "node3";
  EXPECT_FALSE(happened_before(later, first));
}

TEST(Verdict, AskedRanksMayEndInTheseWays) {
  for (int code : {0, 75, 143, 130}) EXPECT_TRUE(is_gentle_end(end_of(code))) << code;
  EXPECT_TRUE(is_gentle_end(end_of(0, SIGTERM)));
  EXPECT_FALSE(is_gentle_end(end_of(1)));
  EXPECT_FALSE(is_gentle_end(end_of(0, SIGSEGV)));
}

TEST(Verdict, JsonHasTheFieldsThatApplyOnOneLine) {
  RankEnd end = end_of(0, SIGKILL);
  end.message = "two\nlines \xff";
  std::string text = verdict_json(*judge(end, 2, true));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  nlohmann::json json = nlohmann::json::parse(text);
  EXPECT_EQ(json["rank"], 1);
  EXPECT_EQ(json["host"], "node2");
  EXPECT_EQ(json["signal"], SIGKILL);
  EXPECT_EQ(json["exit_code"], 137);
  EXPECT_FALSE(json.contains("log") || json.contains("generation"));
  Verdict verdict = *judge(end, 2, true);
  verdict.generation = 3;
  verdict.log = "/out/logs/3/rank1.log";
  json = nlohmann::json::parse(verdict_json(verdict));
  EXPECT_EQ(json["generation"], 3);
  EXPECT_EQ(json["log"], "/out/logs/3/rank1.log");
}

TEST(Verdict, ItsTimeIsThatOfTheRanksHostOrElseThatOfTheLauncher) {
  RankEnd end = end_of(3);
  const auto time_of = [](const Verdict& verdict) {
    return nlohmann::json::parse(verdict_json(verdict)).value("time", 0.0);
  };
  EXPECT_EQ(time_of(*judge(end, 2, true)), 0) << "not known";
  end.time_ns = 1'500'000'000;
  Verdict verdict = *judge(end, 2, true);
  EXPECT_EQ(time_of(verdict), 1.5);
  verdict.noticed_ns = 2'000'000'000;
  EXPECT_EQ(time_of(verdict), 1.5);
  Verdict abort = judge_abort(1, "h", 5, "");
  abort.noticed_ns = 2'250'000'000;
  EXPECT_EQ(time_of(abort), 2.25);
}

TEST(Verdict, AKillFromOutsideIsNamedAndSaysWhereToLookForTheReason) {
  const Verdict verdict = *judge(end_of(0, SIGKILL), 2, true);
  EXPECT_NE(verdict.error.find("rank 1 on node2"), std::string::npos) << verdict.error;
  EXPECT_NE(verdict.error.find("SIGKILL"), std::string::npos) << verdict.error;
  for (const char* word : {"kernel log", "memory.events", "node2"}) EXPECT_NE(verdict.advice.find(word), std::string::npos) << word;
  EXPECT_EQ(judge(end_of(0, SIGSEGV), 2, true)->advice, "");
}

TEST(Verdicts, AKillByTheKernelForMemoryIsSaid) {
  RankEnd end = end_of(0, SIGKILL);
  end.out_of_memory = true;
  const Verdict verdict = *judge(end, 2, true);
  EXPECT_NE(verdict.error.find("out-of-memory killer"), std::string::npos) << verdict.error;
  EXPECT_NE(verdict.advice.find("--mem"), std::string::npos) << verdict.advice;
}

}  // namespace
}  // namespace ds
