#include "hostfiles/filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "hostfiles/host_option.h"
#include "tests/topology/expect_error.h"

namespace ds {
namespace {

using Slots = std::vector<int>;

Cluster hosts(const std::vector<std::pair<std::string, int>>& list) {
  Cluster cluster;
  for (const auto& [name, slots] : list) cluster.hosts.push_back({.name = name, .slots = slots});
  return cluster;
}

const Cluster kTwo = hosts({{"w0", 4}, {"w1", 4}});

// host -> slots, as the reference's table writes it
std::vector<std::pair<std::string, Slots>> shown(const Cluster& cluster) {
  std::vector<std::pair<std::string, Slots>> result;
  for (const Host& host : cluster.hosts) {
    Slots slots = host.slot_ids;
    if (slots.empty()) {
      slots.resize(static_cast<size_t>(host.slots.value_or(0)));
      std::iota(slots.begin(), slots.end(), 0);
    }
    EXPECT_EQ(host.slots, static_cast<int>(slots.size()));
    result.emplace_back(host.name, slots);
  }
  return result;
}
using Shown = std::vector<std::pair<std::string, Slots>>;

Shown include(const std::string& text) { return shown(filter_hosts(kTwo, text, "")); }
Shown exclude(const std::string& text) { return shown(filter_hosts(kTwo, "", text)); }
std::string include_error(const std::string& text) {
  return usage_error_of([&] { include(text); });
}
std::string exclude_error(const std::string& text) {
  return usage_error_of([&] { exclude(text); });
}

TEST(Filter, KeepsTheListedSlots) { EXPECT_EQ(include("w1:0,3"), (Shown{{"w1", {0, 3}}})); }
TEST(Filter, MergesRepeatedHosts) { EXPECT_EQ(include("w0:1@w0:0,1"), (Shown{{"w0", {0, 1}}})); }
TEST(Filter, RemovesAWholeHost) { EXPECT_EQ(exclude("w1"), (Shown{{"w0", {0, 1, 2, 3}}})); }
TEST(Filter, RemovesTheListedSlots) { EXPECT_EQ(exclude("w0:0,1@w1:3"), (Shown{{"w0", {2, 3}}, {"w1", {0, 1, 2}}})); }

TEST(Filter, RefusesUnknownHostsAndSlotsNamingWhatThereIs) {
  expect_words(include_error("jeff"), {"--include", "'jeff'", "w0, w1"});
  expect_words(include_error("w1:4"), {"w1", "slot 4", "0-3"});
  expect_words(exclude_error("w1@w0:1@5"), {"--exclude", "'5'"});
}

TEST(Filter, TakesAllSlotsOfABareHost) { EXPECT_EQ(include("w0"), (Shown{{"w0", {0, 1, 2, 3}}})); }
TEST(Filter, RefusesASlotBeyondTheHostfile) { expect_words(include_error("w0:9"), {"slot 9"}); }
TEST(Filter, TakesTheUnionOfABareAndAListedMention) { EXPECT_EQ(include("w0:1@w0"), (Shown{{"w0", {0, 1, 2, 3}}})); }
TEST(Filter, KeepsTheOrderOfTheHostfile) { EXPECT_EQ(include("w1:0@w0:0"), (Shown{{"w0", {0}}, {"w1", {0}}})); }
TEST(Filter, DropsHostsWhoseSlotsAreAllExcluded) { EXPECT_EQ(exclude("w0:0,1,2,3"), (Shown{{"w1", {0, 1, 2, 3}}})); }
TEST(Filter, LeavesEverythingWithoutAFilter) { EXPECT_EQ(filter_hosts(kTwo, "", ""), kTwo); }
TEST(Filter, UnderstandsRangesOfHosts) { EXPECT_EQ(include("w[0-1]:2"), (Shown{{"w0", {2}}, {"w1", {2}}})); }
TEST(Filter, RefusesBothFiltersTogether) {
  expect_words(usage_error_of([] { filter_hosts(kTwo, "w0", "w1"); }), {"--include", "--exclude", "together"});
}
TEST(Filter, RefusesMalformedText) {
  for (const char* text : {"a:b:c", "w0:1:2", "w0:x", "w0:", "w0:-1", "w0:1,,2", "@", "w0@", ":1", "w0:1-2", "w[1-0]"})
    EXPECT_FALSE(include_error(text).empty()) << text;
}
TEST(Filter, BoundsTheNumberOfNamesAndOfProblems) {
  expect_words(include_error("w[0-65535]@w[0-65535]"), {"not in the list"});
  const Cluster many = parse_host_option("n[0-65535]");
  EXPECT_EQ(filter_hosts(many, "n[0-65535]", "").hosts.size(), 65536u);
  expect_words(usage_error_of([&] { filter_hosts(many, "n[0-65535]@n0", ""); }), {"more than 65536 hosts in all"});
  const std::string said = include_error("x[0-65535]@y[0-65535]");
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 29);
}
TEST(Filter, RefusesToLeaveNothing) { expect_words(exclude_error("w0@w1"), {"no host is left"}); }

TEST(Filter, KeepsSlotNumbersOfAnEarlierFilter) {
  const Cluster once = filter_hosts(kTwo, "w1:1,3", "");
  EXPECT_EQ(shown(filter_hosts(once, "", "w1:1")), (Shown{{"w1", {3}}}));
  expect_words(usage_error_of([&] { filter_hosts(once, "w1:0", ""); }), {"slot 0", "1,3"});
}

TEST(Filter, TakesSlotsOfAHostWhoseSlotsAreUnknownButDoesNotRemoveThem) {
  const Cluster unknown{{{.name = "a"}, {.name = "b"}}};
  EXPECT_EQ(filter_hosts(unknown, "a", "").hosts.at(0).slots, std::nullopt);
  EXPECT_EQ(shown(filter_hosts(unknown, "a:0,2", "")), (Shown{{"a", {0, 2}}}));
  EXPECT_EQ(filter_hosts(unknown, "", "a").hosts.at(0).name, "b");
  expect_words(usage_error_of([&] { filter_hosts(unknown, "", "a:0"); }), {"a", "slots=N"});
}

TEST(Filter, TakesAHostByANameThatOnlyAResolverKnows) {
  const OtherName other = [](const std::string& name) {
    return name == "localhost" ? std::optional<size_t>(1) : std::nullopt;
  };
  EXPECT_EQ(shown(filter_hosts(kTwo, "localhost:0,2", "", other)), (Shown{{"w1", {0, 2}}}));
  EXPECT_EQ(shown(filter_hosts(kTwo, "", "localhost", other)), (Shown{{"w0", {0, 1, 2, 3}}}));
  EXPECT_EQ(shown(filter_hosts(kTwo, "localhost:0@w1:1", "", other)), (Shown{{"w1", {0, 1}}}));
  expect_words(usage_error_of([&] { filter_hosts(kTwo, "jeff", "", other); }), {"'jeff'", "w0, w1"});
}

TEST(Filter, NumNodesKeepsTheFirstHosts) {
  EXPECT_EQ(first_hosts(kTwo, 1).hosts.size(), 1u);
  expect_words(usage_error_of([] { first_hosts(kTwo, 3); }), {"--num_nodes", "3", "2"});
  expect_words(usage_error_of([] { first_hosts(kTwo, 0); }), {"--num_nodes"});
}

TEST(Filter, NumGpusIsCheckedAgainstTheHostfile) {
  EXPECT_EQ(shown(first_slots(kTwo, 2)), (Shown{{"w0", {0, 1}}, {"w1", {0, 1}}}));
  expect_words(usage_error_of([] { first_slots(kTwo, 16); }), {"w0", "w1", "16"});
}

}  // namespace
}  // namespace ds
