// Every parser of the folder survives any text: it answers or throws ds::Error, in bounded time and memory.
#include <gtest/gtest.h>

#include <functional>

#include "hostfiles/filter.h"
#include "hostfiles/host_option.h"
#include "hostfiles/host_range.h"
#include "hostfiles/hostfile.h"
#include "hostfiles/rankfile.h"
#include "hostfiles/slurm_nodelist.h"
#include "tests/topology/random_text.h"
#include "topology/base/error.h"

namespace ds {
namespace {

const std::vector<std::string> kWords{"a", "b", "n[1-3]", "[", "]", "-", ",", "@", ":", "2", "99999999999", " ", "\n", "\r\n", "slots=", "max_slots=",
                                      "port=", "=", "^", "+n1", "#", "//", "/*", "*/", "(x3)", "(x", "localhost", "127.0.0.1", "::1", "[::1]:2",
                                      "rank 0=", "slot=0:1-2", "0", "*", "\xef\xbb\xbf", "\"", "user=", "1,2", "1-2"};
const std::string kValid = "u@a slots=2 max_slots=4\nnode[1-3]:2 # three\n[2001:db8::10]:22 slots=1\n^node2\nrank 1=b slot=0:1-2\n";

void expect_answers_or_refuses(const std::function<void(const std::string&)>& parse) {
  std::mt19937 random(20260101);
  const auto attempt = [&](const std::string& text) {
    try {
      parse(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      EXPECT_STRNE(error.what(), "");
    }
  };
  for (int i = 0; i < 500; ++i) {
    attempt(random_bytes(random, 80));
    attempt(random_words(random, kWords, 14));
    attempt(mutated(random, kValid));
  }
}

TEST(ParserRobustness, HostfileSurvivesAnyText) {
  expect_answers_or_refuses([](const std::string& text) { hosts_of(parse_hostfile(text, "f"), true); });
}
TEST(ParserRobustness, HostRangeSurvivesAnyText) { expect_answers_or_refuses([](const std::string& text) { expand_host_range(text); }); }
TEST(ParserRobustness, SlurmNodelistSurvivesAnyText) { expect_answers_or_refuses([](const std::string& text) { parse_slurm_nodelist(text); }); }
TEST(ParserRobustness, SlurmCountsSurviveAnyText) { expect_answers_or_refuses([](const std::string& text) { parse_slurm_counts(text); }); }
TEST(ParserRobustness, HostOptionSurvivesAnyText) { expect_answers_or_refuses([](const std::string& text) { parse_host_option(text); }); }
TEST(ParserRobustness, FilterSurvivesAnyText) {
  const Cluster cluster{{{.name = "a", .slots = 3}, {.name = "b"}, {.name = "n1", .slots = 2}}};
  expect_answers_or_refuses([&](const std::string& text) { filter_hosts(cluster, text, ""); });
  expect_answers_or_refuses([&](const std::string& text) { filter_hosts(cluster, "", text); });
}

TEST(ParserRobustness, RankfileSurvivesAnyText) {
  const Cluster cluster{{{.name = "a", .slots = 3, .cores = {0, 1, 2}}, {.name = "b"}}};
  expect_answers_or_refuses([&](const std::string& text) { place_ranks(cluster, parse_rankfile(text, "f")); });
  expect_answers_or_refuses([&](const std::string& text) { place_ranks(cluster, parse_rankfile("rank 0=a slot=" + text, "f")); });
}

TEST(ParserRobustness, HostfileRefusesOrReadsEveryPrefix) {
  for (size_t length = 0; length <= kValid.size(); ++length) {
    try {
      parse_hostfile(kValid.substr(0, length), "f");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
    }
  }
}

}  // namespace
}  // namespace ds
