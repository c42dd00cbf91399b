// Names of ranks between libpmix and the launcher: what is asked, when the library is answered.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <vector>

#include "agent/proto/control.pb.h"
#include "agent/rank_server/pmix_names.h"

namespace ds {
namespace {

using std::chrono::milliseconds;

struct Answer {
  int times = 0;
  pmix_status_t status = PMIX_SUCCESS;
  std::vector<std::string> values;
};

void on_done(pmix_status_t status, void* token) {
  auto& answer = *static_cast<Answer*>(token);
  ++answer.times;
  answer.status = status;
}

void on_found(pmix_status_t status, pmix_pdata_t data[], size_t count, void* token) {
  on_done(status, token);
  for (size_t i = 0; i < count; ++i) static_cast<Answer*>(token)->values.emplace_back(data[i].value.data.string);
}

class PmixNamesTest : public ::testing::Test {
 protected:
  PmixNamesTest() {
    control::StartGeneration start;
    start.set_generation(3);
    start.set_node(1);
    start.set_name_space("job");
    names.begin(start);
  }

  PmixLookup lookup(std::vector<std::string> keys, bool wait, milliseconds limit = milliseconds(0)) {
    PmixLookup lookup;
    lookup.keys = std::move(keys);
    lookup.wait = wait;
    lookup.limit = limit;
    lookup.done = on_found;
    lookup.token = &answer;
    return lookup;
  }

  void found(uint32_t id, const std::string& value) {
    control::LookupDone done;
    done.set_id(id);
    done.set_found(!value.empty());
    if (!value.empty()) done.set_value("s" + value);
    names.take(done);
  }

  boost::asio::io_context io;
  std::vector<control::Envelope> sent;
  PmixNames names{io, [this](const control::Envelope& message) { sent.push_back(message); }};
  Answer answer;
};

TEST_F(PmixNamesTest, APublishIsAnsweredWhenAllOfItIsConfirmed) {
  names.publish({{{"a", "s1", 5, true}, {"b", "s2", 5, true}}, false, on_done, &answer});
  ASSERT_EQ(sent.size(), 2u);
  const auto& first = sent[0].publish();
  EXPECT_EQ(first.generation(), 3u);
  EXPECT_EQ(first.node(), 1u);
  EXPECT_EQ(first.rank(), 5u);
  EXPECT_EQ(first.key(), "a");
  EXPECT_TRUE(first.once());
  EXPECT_EQ(first.id(), sent[1].publish().id());
  control::PublishDone done;
  done.set_id(first.id());
  names.take(done);
  EXPECT_EQ(answer.times, 0);
  names.take(done);
  EXPECT_EQ(answer.times, 1);
  names.take(done);
  EXPECT_EQ(answer.times, 1) << "one that nobody waits for";
}

TEST_F(PmixNamesTest, ALookupOfSeveralNamesGivesThoseThatThereAre) {
  names.lookup(lookup({"a", "b", "c"}, false));
  for (const std::string value : {"3", "", "1"}) found(sent.back().lookup().id(), value);
  EXPECT_EQ(sent.size(), 3u);
  EXPECT_EQ(answer.times, 1);
  EXPECT_EQ(answer.status, PMIX_SUCCESS);
  EXPECT_EQ(answer.values, (std::vector<std::string>{"3", "1"}));
}

TEST_F(PmixNamesTest, ALookupThatFindsNothingSaysSo) {
  names.lookup(lookup({"a"}, false));
  found(sent.back().lookup().id(), "");
  EXPECT_EQ(answer.times, 1);
  EXPECT_EQ(answer.status, PMIX_ERR_NOT_FOUND);
}

TEST_F(PmixNamesTest, AfterItsLimitAWaitingLookupAsksAgainWithoutWaiting) {
  names.lookup(lookup({"a"}, true, milliseconds(1)));
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].lookup().wait());
  io.run();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_FALSE(sent[1].lookup().wait());
  EXPECT_EQ(sent[1].lookup().id(), sent[0].lookup().id());
  EXPECT_EQ(answer.times, 0);
  found(sent[1].lookup().id(), "");
  EXPECT_EQ(answer.times, 1);
  EXPECT_EQ(answer.status, PMIX_ERR_NOT_FOUND);
}

TEST_F(PmixNamesTest, AWaitingLookupThatIsAnsweredAsksNoMore) {
  names.lookup(lookup({"a"}, true, milliseconds(1)));
  found(sent[0].lookup().id(), "port");
  io.run();
  EXPECT_EQ(sent.size(), 1u);
  EXPECT_EQ(answer.times, 1);
  EXPECT_EQ(answer.values, std::vector<std::string>{"port"});
}

}  // namespace
}  // namespace ds
