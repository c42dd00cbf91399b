// The recorded order of collective actions and what happens to a rank that departs from it.
#include "engine/foreign/order_record.h"

#include <gtest/gtest.h>

#include "topology/base/error.h"

namespace ds {
namespace {

const std::vector<std::string> kNames{"a", "b"};

OrderRecord recorded() {
  OrderRecord order;
  for (int action : {0, 1, -1}) order.act(action, kNames);
  order.end_step(kNames);
  return order;
}

TEST(OrderRecord, AcceptsTheSameOrderAgainAndAgain) {
  OrderRecord order = recorded();
  for (int i = 0; i < 3; ++i) {
    for (int action : {0, 1, -1}) EXPECT_NO_THROW(order.act(action, kNames));
    EXPECT_NO_THROW(order.end_step(kNames));
  }
}

TEST(OrderRecord, RefusesAnotherActionALongerAndAShorterStep) {
  OrderRecord other = recorded();
  EXPECT_THROW(other.act(1, kNames), Error);
  OrderRecord longer = recorded();
  for (int action : {0, 1, -1}) longer.act(action, kNames);
  EXPECT_THROW(longer.act(0, kNames), Error);
  OrderRecord shorter = recorded();
  shorter.act(0, kNames);
  EXPECT_THROW(shorter.end_step(kNames), Error);
}

TEST(OrderRecord, HashTellsOrdersApart) {
  OrderRecord other;
  for (int action : {1, 0, -1}) other.act(action, kNames);
  EXPECT_NE(other.hash(), recorded().hash());
  EXPECT_EQ(recorded().hash(), recorded().hash());
}

}  // namespace
}  // namespace ds
