// The pure parts of what is shown: last lines, lines left out, credit for output, colours.
#include <gtest/gtest.h>

#include "agent/output_window.h"
#include "launcher/output/colour_choice.h"
#include "launcher/output/last_lines.h"
#include "launcher/output/left_out.h"
#include "launcher/output/output_credit.h"

namespace ds {
namespace {

TEST(LastLines, KeepsTheLastTwelveHoweverTheyCome) {
  std::string all, expected;
  for (int i = 0; i < 100; ++i) all += "line " + std::to_string(i) + "\n";
  for (int i = 88; i < 100; ++i) expected += "line " + std::to_string(i) + "\n";
  LastLines at_once, one_by_one;
  at_once.add(all);
  for (int i = 0; i < 100; ++i) one_by_one.add("line " + std::to_string(i) + "\n");
  EXPECT_EQ(at_once.text(), expected);
  EXPECT_EQ(one_by_one.text(), expected);
}

TEST(LastLines, EmptyLinesAndMissingEndsCount) {
  LastLines lines;
  EXPECT_TRUE(lines.empty());
  lines.add("");
  lines.add("a\n\nb");
  lines.add("\n");
  lines.add("\n");
  EXPECT_EQ(lines.text(), "a\n\nb\n\n");
  lines.add(std::string(10000, 'x'));
  EXPECT_EQ(lines.text().size(), std::string("a\n\nb\n\n").size() + 4001);
}

TEST(LastLines, ALineMayComeInPieces) {
  LastLines lines;
  lines.add("first\nName");
  lines.add("? ");
  lines.add("bob\n");
  EXPECT_EQ(lines.text(), "first\nName? bob\n");
  lines.add("open");
  lines.add(" end\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
  EXPECT_EQ(lines.text(), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
}

TEST(LeftOut, SaysHowManyLinesOfWhomAndWhereTheyAre) {
  LeftOut left;
  EXPECT_FALSE(left.any());
  left.add(3, "a\nb\n");
  left.add(0, "half");
  left.add(1, "x\n");
  EXPECT_EQ(left.text("out/logs/1"),
            "the terminal did not keep up: 4 lines of ranks 0-1,3 are left out here and complete in out/logs/1");
  left.clear();
  left.add(7, "x\n");
  EXPECT_EQ(left.text("L"), "the terminal did not keep up: 1 line of rank 7 is left out here and complete in L");
}

TEST(OutputCredit, IsToldInQuartersOfTheWindow) {
  OutputCredit credit(2, 1000);
  credit.received(0, 249);
  EXPECT_FALSE(credit.due(0));
  credit.received(0, 1);
  credit.received(1, 10);
  EXPECT_TRUE(credit.due(0));
  EXPECT_FALSE(credit.due(1));
  EXPECT_EQ(credit.tell(0), 250u);
  EXPECT_FALSE(credit.due(0));
  credit.received(0, 300);
  EXPECT_EQ(credit.tell(0), 550u);
}

TEST(OutputCredit, AllWindowsTogetherAreBounded) {
  for (size_t hosts : {1u, 16u, 17u, 64u, 1000u}) EXPECT_LE(hosts * output_window_bytes(hosts), 64u << 20) << hosts;
  EXPECT_EQ(output_window_bytes(1), 4u << 20);
  EXPECT_EQ(output_window_bytes(100000), 64u << 10) << "never so small that nothing moves";
}

TEST(OutputWindow, LetsInWhatFitsAndCallsThoseWhoWaitInTheirOrder) {
  OutputWindow window(100);
  window.sent(99);
  EXPECT_TRUE(window.has_room());
  window.sent(50);
  EXPECT_FALSE(window.has_room());
  std::string order;
  window.when_room([&] { order += "a"; window.sent(100); });
  window.when_room([&] { order += "b"; });
  window.taken(20);
  EXPECT_EQ(order, "") << "129 of 100 are on their way";
  window.taken(60);
  EXPECT_EQ(order, "a");
  window.taken(30);
  EXPECT_EQ(order, "a") << "an older total says nothing";
  window.taken(249);
  EXPECT_EQ(order, "ab");
  window.sent(200);
  EXPECT_FALSE(window.has_room());
  window.taken(1000000);
  EXPECT_TRUE(window.has_room()) << "the launcher also counts what was sent past the window";
}

TEST(OutputWindow, OneThatWaitsAgainWaitsForTheNextTime) {
  OutputWindow window(10);
  window.sent(10);
  int calls = 0;
  std::function<void()> again = [&] { ++calls; window.when_room(again); };
  window.when_room(again);
  window.taken(10);
  EXPECT_EQ(calls, 1);
}

TEST(OutputWindow, ZeroIsNoLimit) {
  OutputWindow window(0);
  window.sent(1u << 30);
  EXPECT_TRUE(window.has_room());
}

TEST(ColourChoice, AutoIsATerminalWithoutNoColor) {
  EXPECT_TRUE(uses_colours("auto", true, nullptr));
  EXPECT_TRUE(uses_colours("auto", true, ""));
  EXPECT_FALSE(uses_colours("auto", true, "1"));
  EXPECT_FALSE(uses_colours("auto", false, nullptr));
  EXPECT_TRUE(uses_colours("always", false, "1"));
  EXPECT_FALSE(uses_colours("never", true, nullptr));
  EXPECT_EQ(colour_of_rank(3), colour_of_rank(13));
  EXPECT_NE(colour_of_rank(3), colour_of_rank(4));
}

}  // namespace
}  // namespace ds
