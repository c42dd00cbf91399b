// Small texts: tags of lines, login noise, causes of failed logins, progress lines, events, addresses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "agent/contract.h"
#include "agent/proto/control.pb.h"
#include "launcher/output/event_log.h"
#include "launcher/control/host_reports.h"
#include "launcher/plan/job_identity.h"
#include "launcher/output/line_format.h"
#include "launcher/plan/local_machine.h"
#include "agent/marker_scan.h"
#include "launcher/output/progress.h"
#include "launcher/plan/rank_exports.h"
#include "launcher/reach/reach_failure.h"
#include "topology/base/error.h"
#include "topology/base/hex.h"

namespace ds {
namespace {

TEST(LineFormat, TagsEveryLineAndClosesTheLast) {
  LineFormat tagged{true, false};
  EXPECT_EQ(tagged.apply(3, false, "a\n\nb", 0), "[1,3]<stdout>:a\n[1,3]<stdout>:\n[1,3]<stdout>:b\n");
  EXPECT_EQ(tagged.apply(0, true, "x\n", 0), "[1,0]<stderr>:x\n");
}

TEST(LineFormat, WithoutTagsBytesAreUntouched) {
  EXPECT_EQ(LineFormat{}.apply(0, false, "half \0 line", 0), std::string("half "));
  EXPECT_EQ(LineFormat{}.apply(0, false, std::string("a\0b", 3), 0).size(), 3u);
}

TEST(LineFormat, TimesComeBeforeTheTag) {
  std::string text = LineFormat{true, true}.apply(1, false, "x\n", 1000000000);
  EXPECT_NE(text.find(" 2001[1,1]<stdout>:x\n"), std::string::npos) << text;
}

TEST(LineFormat, ThePrefixAloneHasTheColourOfTheRank) {
  LineFormat coloured{true, false, true, false};
  EXPECT_EQ(coloured.apply(1, false, "a\nb\n", 0), "\033[33m[1,1]<stdout>:\033[0ma\n\033[33m[1,1]<stdout>:\033[0mb\n");
  EXPECT_EQ(coloured.apply(1, true, "a\n", 0), "[1,1]<stderr>:a\n");
}

TEST(MarkerScan, FindsTheMarkerAfterNoiseHoweverItIsCut) {
  const std::string stream = "Welcome!\nmark but not quite\n\nmark\nframes";
  for (size_t cut = 0; cut <= stream.size(); ++cut) {
    MarkerScan scan("mark");
    bool found = scan.feed(stream.substr(0, cut));
    EXPECT_EQ(found, cut >= stream.find("\nmark\n") + 6) << cut;
    EXPECT_TRUE(scan.feed(stream.substr(cut)));
    EXPECT_EQ(scan.rest(), "frames");
    EXPECT_TRUE(scan.noise().starts_with("Welcome!"));
  }
}

TEST(MarkerScan, KeepsOnlyTheEndOfEndlessNoise) {
  MarkerScan scan("mark");
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(scan.feed(std::string(1000, 'x')));
  EXPECT_LE(scan.noise().size(), 2000u);
  EXPECT_TRUE(scan.feed("\nmark\n"));
}

TEST(ReachFailure, CausesOfSshAreNamed) {
  auto cause = [](const char* said, int code) { return classify_reach_failure("h", said, code, 10).cause; };
  EXPECT_EQ(cause("ssh: Could not resolve hostname h: Name or service not known\n", 255), "not found");
  EXPECT_EQ(cause("Host key verification failed.\n", 255), "host key unknown");
  EXPECT_EQ(cause("u@h: Permission denied (publickey).\n", 255), "login refused");
  EXPECT_EQ(cause("ssh: connect to host h port 22: Connection refused\n", 255), "connection refused");
  EXPECT_EQ(cause("bash: line 1: /x/dsagent: No such file or directory\n", 127), "no dsagent");
  EXPECT_EQ(cause("", -1), "no answer in 10 s");
  EXPECT_EQ(cause("", 3), "agent ended with code 3");
}

TEST(ReachFailure, HostsWithOneCauseShareALine) {
  std::string text = describe_reach_failures({{"a", "not found", "x"}, {"b", "no answer in 10 s", ""}, {"c", "not found", "y"}});
  EXPECT_EQ(text, "not found on: a, c (x)\nno answer in 10 s: b");
}

RankProgress at(int64_t step, int rank = 0) {
  RankProgress report;
  report.rank = rank;
  report.step = step;
  report.total_steps = 20;
  report.loss = 1.5;
  report.tokens_per_second = 12345;
  report.phase = static_cast<int>(RankPhase::kTraining);
  return report;
}

TEST(Progress, PlainLinesComeEveryLogEverySteps) {
  Progress progress(ProgressStyle::kPlain, 5, 2);
  auto now = Progress::Clock::now();
  progress.start_generation(1, now);
  std::vector<int64_t> told;
  for (int64_t step = 1; step <= 20; ++step)
    if (!progress.take(at(step), now + std::chrono::seconds(step)).empty()) told.push_back(step);
  EXPECT_EQ(told, (std::vector<int64_t>{1, 5, 10, 15, 20}));
}

TEST(Progress, LineTellsStepLossSpeedAndTimeLeft) {
  Progress progress(ProgressStyle::kBar, 5, 2);
  auto now = Progress::Clock::now();
  progress.start_generation(3, now);
  progress.take(at(0), now);
  std::string line = progress.take(at(10), now + std::chrono::seconds(10));
  EXPECT_EQ(line, "step 10/20  loss 1.5000  12.3k tokens/s  0:10 left  2 ranks  generation 3");
}

// As after a launcher was replaced: what was said meanwhile comes in a heap.
TEST(Progress, AHeapOfReportsGivesNoEstimate) {
  Progress progress(ProgressStyle::kBar, 5, 2);
  auto now = Progress::Clock::now();
  progress.start_generation(1, now);
  progress.take(at(5), now);
  EXPECT_EQ(progress.take(at(10), now + std::chrono::milliseconds(1)).find("left"), std::string::npos);
  EXPECT_NE(progress.take(at(15), now + std::chrono::seconds(5)).find("left"), std::string::npos);
}

TEST(Progress, OnlyTheLowestRankIsShown) {
  Progress progress(ProgressStyle::kBar, 5, 2);
  auto now = Progress::Clock::now();
  progress.start_generation(1, now);
  EXPECT_NE(progress.take(at(3, 1), now), "");
  EXPECT_NE(progress.take(at(1, 0), now), "");
  EXPECT_EQ(progress.take(at(9, 1), now), "");
  EXPECT_EQ(progress.step(), 1);
}

TEST(Progress, NumbersAreShort) {
  EXPECT_EQ(short_number(999), "999");
  EXPECT_EQ(short_number(12345), "12.3k");
  EXPECT_EQ(short_number(2.5e6), "2.50M");
  EXPECT_EQ(short_duration(59), "0:59");
  EXPECT_EQ(short_duration(3725), "1:02:05");
}

TEST(Events, HaveTimeAndOnlyWhatFits) {
  Event event{"rank_exited"};
  event.generation = 2;
  event.rank = 1;
  nlohmann::json json = nlohmann::json::parse(event_json(event, 12.5));
  EXPECT_EQ(json, (nlohmann::json{{"time", 12.5}, {"event", "rank_exited"}, {"generation", 2}, {"rank", 1}}));
}

TEST(Exports, ComeFromTheEnvironmentOrTheCommandLine) {
  std::vector<std::string> warnings;
  EXPECT_EQ(resolve_exports({"A", "B=x y=z", "C"}, {{"A", "1;|&()\n"}}, warnings),
            (std::vector<std::string>{"A=1;|&()\n", "B=x y=z"}));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("C"), std::string::npos);
}

control::HostReport report_of(const std::string& machine, uint32_t free_port, uint64_t oom_kills = 0) {
  control::HostReport report;
  report.set_machine(machine);
  report.set_free_port(free_port);
  report.set_oom_kills(oom_kills);
  return report;
}

TEST(HostReports, NameTheOtherHostThatIsTheSameMachine) {
  HostReports reports;
  EXPECT_EQ(reports.add(0, report_of("boot a 10.0.0.1", 4000)), std::nullopt);
  EXPECT_EQ(reports.add(1, report_of("boot b 10.0.0.2", 4001)), std::nullopt);
  EXPECT_EQ(reports.add(2, report_of("boot a 10.0.0.1", 4002)), 0);
  EXPECT_EQ(reports.add(3, report_of("", 0)), std::nullopt);
  EXPECT_EQ(reports.add(4, report_of("", 0)), std::nullopt);
  EXPECT_EQ(reports.free_port(1), 4001);
  EXPECT_EQ(reports.free_port(9), 0);
}

TEST(HostReports, SayWhetherMemoryRanOutSince) {
  HostReports reports;
  reports.add(0, report_of("a", 0, 3));
  EXPECT_FALSE(reports.memory_ran_out(0, 3));
  EXPECT_TRUE(reports.memory_ran_out(0, 4));
  EXPECT_FALSE(reports.memory_ran_out(0, 0)) << "the sweep could not tell";
  EXPECT_FALSE(reports.memory_ran_out(1, 4)) << "what there was before is not known";
  reports.add(0, report_of("a", 0, 4));
  EXPECT_FALSE(reports.memory_ran_out(0, 4)) << "it has come back since";
}

TEST(LocalMachine, LoopbackIsNeverPublished) {
  std::vector<LocalAddress> all = {{"lo", "127.0.0.1", true}, {"eth0", "10.0.0.1", false}, {"eth1", "fe80::1%eth1", false}};
  EXPECT_EQ(published_addresses(all, ""), std::vector<std::string>{"10.0.0.1"});
  all.push_back({"docker0", "172.17.0.1", false});
  EXPECT_EQ(published_addresses(all, ""), std::vector<std::string>{"10.0.0.1"});
  EXPECT_EQ(published_addresses(all, "docker0"), std::vector<std::string>{"172.17.0.1"});
  EXPECT_EQ(published_addresses(all, "eth0"), std::vector<std::string>{"10.0.0.1"});
  EXPECT_THROW(published_addresses(all, "ib0"), Error);
}

TEST(LocalMachine, IsRecognisedByNameAndAddress) {
  std::vector<LocalAddress> all = local_addresses();
  EXPECT_TRUE(is_this_machine("localhost", all));
  EXPECT_TRUE(is_this_machine("127.0.0.1", all));
  EXPECT_TRUE(is_this_machine(this_host_name(), all));
  EXPECT_FALSE(is_this_machine("198.51.100.77", all));
  all.push_back({"eth1", "198.51.100.77", false});
  all.push_back({"eth2", "2001:db8::7", false});
  EXPECT_TRUE(is_this_machine("198.51.100.77", all));
  EXPECT_TRUE(is_this_machine("2001:DB8:0::7", all));
}

TEST(LocalMachine, IsNotAHostThatHasTheSameAddressOnAnotherLink) {
  const std::vector<LocalAddress> all = {{"lo", "127.0.0.1", true}, {"docker0", "fe80::1%docker0", false}};
  EXPECT_FALSE(is_this_machine("fe80::1%lo", all));
  EXPECT_FALSE(is_this_machine("fe80::1%none7", all));
  EXPECT_TRUE(is_this_machine("fe80::1%lo", {{"lo", "fe80::1%lo", true}}));
  EXPECT_TRUE(is_this_machine("FE80:0::1%1", {{"lo", "fe80::1%lo", true}})) << "the number of lo";
}

TEST(Identity, JobIdsAreSafeInPaths) {
  std::string id = new_job_id("my job/ä");
  EXPECT_EQ(id.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"), std::string::npos);
  EXPECT_NE(new_job_id("a"), new_job_id("a"));
  EXPECT_LE(new_job_id(std::string(500, 'x')).size(), 40u);
}

TEST(Identity, HexRoundTrips) {
  std::string key = new_job_key();
  EXPECT_EQ(key.size(), 32u);
  EXPECT_EQ(from_hex(to_hex(key)), key);
  EXPECT_THROW(from_hex("zz"), Error);
}

}  // namespace
}  // namespace ds
