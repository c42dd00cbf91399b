// Fences, modex and names between rank servers.
#include <gtest/gtest.h>

#include <utility>

#include "agent/proto/control.pb.h"
#include "launcher/control/collector.h"

namespace ds {
namespace {

struct Sent {
  std::vector<std::pair<int, control::Envelope>> all;
};

control::Envelope fence(int node, const std::string& data, int generation = 1, std::vector<uint32_t> nodes = {}) {
  control::Envelope message;
  message.mutable_fence()->set_generation(generation);
  message.mutable_fence()->set_key("k");
  message.mutable_fence()->set_node(node);
  message.mutable_fence()->set_data(data);
  for (uint32_t one : nodes) message.mutable_fence()->add_nodes(one);
  return message;
}

class CollectorTest : public ::testing::Test {
 protected:
  Sent sent;
  Collector collector{1, {"a", "b", "c"}, [this](int node, const control::Envelope& message) {
                        sent.all.emplace_back(node, message);
                      }};
  Collector::Clock::time_point now = Collector::Clock::now();
};

TEST_F(CollectorTest, AFenceEndsWhenEveryNodeHasComeAndGivesAllData) {
  collector.take(fence(2, "C"), now);
  collector.take(fence(0, "A"), now);
  EXPECT_TRUE(sent.all.empty());
  collector.take(fence(1, "B"), now);
  ASSERT_EQ(sent.all.size(), 3u);
  for (const auto& [node, message] : sent.all) EXPECT_EQ(message.fence_done().data().size(), 3u);
}

TEST_F(CollectorTest, AFenceOfSomeNodesConcernsOnlyThem) {
  collector.take(fence(0, "A", 1, {0, 2}), now);
  collector.take(fence(1, "X", 1, {0, 2}), now);
  EXPECT_TRUE(sent.all.empty()) << "node 1 takes no part";
  collector.take(fence(2, "C", 1, {0, 2}), now);
  ASSERT_EQ(sent.all.size(), 2u);
  EXPECT_EQ(sent.all[1].first, 2);
}

TEST_F(CollectorTest, TheSameKeyCanBeUsedAgain) {
  for (int round = 0; round < 2; ++round)
    for (int node = 0; node < 3; ++node) collector.take(fence(node, "x"), now);
  EXPECT_EQ(sent.all.size(), 6u);
}

TEST_F(CollectorTest, OtherGenerationsAreDropped) {
  for (int node = 0; node < 3; ++node) EXPECT_TRUE(collector.take(fence(node, "x", 2), now));
  EXPECT_TRUE(sent.all.empty());
}

TEST_F(CollectorTest, ALateFenceNamesWhoIsMissing) {
  collector.take(fence(1, "B"), now);
  EXPECT_TRUE(collector.overdue(now + std::chrono::seconds(5), std::chrono::seconds(60)).empty());
  std::vector<std::string> late = collector.overdue(now + std::chrono::seconds(61), std::chrono::seconds(60));
  ASSERT_EQ(late.size(), 1u);
  EXPECT_EQ(late[0], "fence k: waiting 61 s for a, c");
}

// After a launcher died: some hosts have seen the end of the last fence, others wait for it.
TEST_F(CollectorTest, AFenceThatIsOverForSomeEndsForTheOthersAndIsWaitedForByNobody) {
  control::Envelope over = fence(0, "A");
  over.mutable_fence()->set_over(true);
  collector.take(over, now);
  EXPECT_TRUE(collector.overdue(now + std::chrono::seconds(61), std::chrono::seconds(60)).empty());
  collector.take(fence(1, "B"), now);
  EXPECT_EQ(collector.overdue(now + std::chrono::seconds(61), std::chrono::seconds(60)).size(), 1u);
  collector.take(fence(2, "C"), now);
  EXPECT_EQ(sent.all.size(), 3u);
}

TEST_F(CollectorTest, RequestsForDataGoToTheOwnerAndAnswersBack) {
  control::Envelope ask, answer;
  ask.mutable_modex()->set_generation(1);
  ask.mutable_modex()->set_owner_node(2);
  ask.mutable_modex()->set_asking_node(0);
  answer.mutable_modex_done()->set_generation(1);
  answer.mutable_modex_done()->set_asking_node(0);
  collector.take(ask, now);
  collector.take(answer, now);
  ASSERT_EQ(sent.all.size(), 2u);
  EXPECT_EQ(sent.all[0].first, 2);
  EXPECT_EQ(sent.all[1].first, 0);
  ask.mutable_modex()->set_owner_node(9);
  EXPECT_TRUE(collector.take(ask, now)) << "a node that is not there gets nothing";
  EXPECT_EQ(sent.all.size(), 2u);
}

TEST_F(CollectorTest, PublishedNamesAreFoundUntilTheyAreRemoved) {
  control::Envelope publish, lookup;
  publish.mutable_publish()->set_generation(1);
  publish.mutable_publish()->set_key("name");
  publish.mutable_publish()->set_value("port");
  publish.mutable_publish()->set_rank(4);
  lookup.mutable_lookup()->set_generation(1);
  lookup.mutable_lookup()->set_key("name");
  lookup.mutable_lookup()->set_node(1);
  collector.take(publish, now);
  collector.take(lookup, now);
  EXPECT_TRUE(sent.all.back().second.lookup_done().found());
  EXPECT_EQ(sent.all.back().second.lookup_done().value(), "port");
  publish.mutable_publish()->set_remove(true);
  collector.take(publish, now);
  collector.take(lookup, now);
  EXPECT_FALSE(sent.all.back().second.lookup_done().found());
}

class NamesTest : public CollectorTest {
 protected:
  static constexpr int kNode = 1;

  void publish(const std::string& value, uint32_t rank, bool once = false, bool remove = false) {
    control::Envelope message;
    auto& body = *message.mutable_publish();
    body.set_generation(1);
    body.set_key("name");
    body.set_value(value);
    body.set_rank(rank);
    body.set_once(once);
    body.set_remove(remove);
    body.set_id(100 + rank);
    body.set_node(kNode);
    collector.take(message, now);
  }

  void look_up(uint32_t id, bool wait) {
    control::Envelope message;
    auto& body = *message.mutable_lookup();
    body.set_generation(1);
    body.set_key("name");
    body.set_node(kNode);
    body.set_id(id);
    body.set_wait(wait);
    collector.take(message, now);
  }

  // "id value" of each answer, "-" where nothing was found, "done id" for what was published.
  std::vector<std::string> answers() {
    std::vector<std::string> texts;
    for (const auto& [node, message] : std::exchange(sent.all, {})) {
      EXPECT_EQ(node, kNode);
      if (message.has_publish_done()) texts.push_back("done " + std::to_string(message.publish_done().id()));
      else texts.push_back(std::to_string(message.lookup_done().id()) + " " + (message.lookup_done().found() ? message.lookup_done().value() : "-"));
    }
    return texts;
  }
};
using Texts = std::vector<std::string>;

TEST_F(NamesTest, APublishIsConfirmedWhenItCanBeFound) {
  publish("port", 4);
  look_up(1, false);
  EXPECT_EQ(answers(), (Texts{"done 104", "1 port"}));
}

TEST_F(NamesTest, AWaitingLookupIsAnsweredByTheNextPublish) {
  look_up(1, true);
  look_up(2, true);
  EXPECT_EQ(answers(), Texts{});
  publish("port", 4);
  EXPECT_EQ(answers(), (Texts{"1 port", "2 port", "done 104"}));
}

TEST_F(NamesTest, ALookupWithTheSameIdEndsTheWaiting) {
  look_up(1, true);
  look_up(1, false);
  EXPECT_EQ(answers(), (Texts{"1 -"}));
  publish("port", 4);
  EXPECT_EQ(answers(), (Texts{"done 104"})) << "nobody waits any more";
}

TEST_F(NamesTest, ValuesForOneReaderAreReadOnceInTheOrderInWhichTheyCame) {
  publish("first", 4, true);
  publish("second", 4, true);
  look_up(1, false);
  look_up(2, false);
  look_up(3, false);
  EXPECT_EQ(answers(), (Texts{"done 104", "done 104", "1 first", "2 second", "3 -"}));
}

TEST_F(NamesTest, AValueForOneReaderGoesToTheOneThatWaitedLongest) {
  look_up(1, true);
  look_up(2, true);
  publish("first", 4, true);
  EXPECT_EQ(answers(), (Texts{"1 first", "done 104"}));
  publish("second", 5, true);
  EXPECT_EQ(answers(), (Texts{"2 second", "done 105"}));
}

TEST_F(NamesTest, ARankTakesBackOnlyItsOwnName) {
  publish("old", 4);
  publish("new", 4);
  publish("other", 5);
  publish("", 5, false, true);
  look_up(1, false);
  publish("", 4, false, true);
  look_up(2, false);
  EXPECT_EQ(answers(), (Texts{"done 104", "done 104", "done 105", "done 105", "1 new", "done 104", "2 -"}));
}

}  // namespace
}  // namespace ds
