#include "hostfiles/hostfile.h"

#include <gtest/gtest.h>

#include "tests/topology/expect_error.h"

namespace ds {
namespace {

HostfileResult parse(const std::string& text) { return parse_hostfile(text, "hosts"); }

std::string refused(const std::string& text) {
  return usage_error_of([&] { parse(text); });
}

// "a:2 b:- " for what a plan would use; '-' = the host's cores.
std::string hosts(const std::string& text, bool one_slot_per_line = false) {
  std::string result;
  for (const Host& host : hosts_of(parse(text), one_slot_per_line).hosts)
    result += host.name + ":" + (host.slots ? std::to_string(*host.slots) : "-") + " ";
  return result;
}

TEST(Hostfile, ReadsOneHostALine) { EXPECT_EQ(hosts("a slots=2\nb slots=3\n"), "a:2 b:3 "); }
TEST(Hostfile, AcceptsCarriageReturns) { EXPECT_EQ(hosts("a slots=2\r\nb\r\n"), "a:2 b:- "); }
TEST(Hostfile, DropsAByteOrderMark) { EXPECT_EQ(hosts("\xef\xbb\xbf" "a slots=2\n"), "a:2 "); }
TEST(Hostfile, AcceptsACommentWithoutNewlineAtTheEnd) { EXPECT_EQ(hosts("a slots=2\n# end"), "a:2 "); }
TEST(Hostfile, AcceptsALastLineWithoutNewline) { EXPECT_EQ(hosts("a slots=2\nb slots=2"), "a:2 b:2 "); }

TEST(Hostfile, KeepsTheLastCharacterOfAFileThatEndsEarly) {
  const std::string text = "localhost slots=12";
  for (size_t length = 1; length <= 9; ++length) EXPECT_EQ(hosts(text.substr(0, length)), text.substr(0, length) + ":- ");
  EXPECT_EQ(hosts(text), "localhost:12 ");
}

TEST(Hostfile, UnderstandsAllThreeKindsOfComments) {
  EXPECT_EQ(hosts("# one\n// two\n/* three\n four */ a slots=1 # x\nb /* y */ slots=2 // z\n\n  \t\n"), "a:1 b:2 ");
}

TEST(Hostfile, KeepsLineNumbersAfterACommentOverLines) { expect_words(refused("/* x\n y */\na foo=1\n"), {"hosts:3:"}); }
TEST(Hostfile, RefusesACommentThatNeverEnds) { expect_words(refused("a\n/* b\nc\n"), {"hosts:2:", "*/"}); }

TEST(Hostfile, GivesARepeatedBareNameOneSlotPerLineAndWarnsOnce) {
  EXPECT_EQ(hosts("a\na\nb\na\n", true), "a:3 b:1 ");
  const HostfileResult result = parse("a\na\nb\na\n");
  ASSERT_EQ(result.warnings.size(), 1u);
  expect_words(result.warnings[0], {"hosts:2:", "'a'"});
}

TEST(Hostfile, LeavesBareNamesToTheHostsCoresWithoutNp) { EXPECT_EQ(hosts("a\nb\n"), "a:- b:- "); }

TEST(Hostfile, RefusesMixedFormsNamingBothLines) {
  expect_words(refused("a slots=2\na\n"), {"'a'", "lines 1 and 2", "with and without"});
  expect_words(refused("a\nb\na slots=2\n"), {"'a'", "lines 1 and 3", "with and without"});
}

TEST(Hostfile, RefusesASecondDefinitionNamingBothLines) {
  expect_words(refused("a slots=2\n\na slots=2\n"), {"'a'", "lines 1 and 3", "defined twice"});
}

TEST(Hostfile, ComparesFullNames) { EXPECT_EQ(hosts("a.x.com slots=2\na.y.com slots=2\n"), "a.x.com:2 a.y.com:2 "); }

TEST(Hostfile, KnowsThatLoopbackNamesAreOneHost) {
  expect_words(refused("localhost\n127.0.0.1\n"), {"'127.0.0.1'", "'localhost'", "same host", "lines 1 and 2"});
  expect_words(refused("localhost slots=1\n::1 slots=1\n"), {"same host"});
}

TEST(Hostfile, IgnoresTheCaseOfNames) {
  EXPECT_EQ(hosts("A\na\n", true), "A:2 ");
  expect_words(refused("A slots=1\na slots=1\n"), {"defined twice"});
}

TEST(Hostfile, TakesMaxSlotsAsSlotsWhenAlone) {
  const HostfileResult result = parse("a max_slots=4\n");
  EXPECT_EQ(result.entries[0].slots, 4);
  EXPECT_EQ(result.entries[0].max_slots, 4);
}

TEST(Hostfile, RefusesMoreSlotsThanMaxSlots) { expect_words(refused("a slots=2 max_slots=1\n"), {"max_slots=1", "slots=2"}); }

TEST(Hostfile, AcceptsZeroSlotsWithANote) {
  EXPECT_EQ(hosts("a slots=0\nb slots=1\n"), "a:0 b:1 ");
  expect_words(parse("a slots=0\n").warnings.at(0), {"hosts:1:", "slots=0"});
}

TEST(Hostfile, QuotesBadNumbers) {
  expect_words(refused("a slots=-1\n"), {"hosts:1:", "'-1'"});
  expect_words(refused("a slots=2x\n"), {"hosts:1:", "'2x'"});
  expect_words(refused("a slots=99999999999\n"), {"'99999999999'", "65535"});
  expect_words(refused("a slots=65536\n"), {"'65536'"});
  expect_words(refused("a slots=\n"), {"slots=''"});
  expect_words(refused("a port=0\n"), {"port='0'"});
  EXPECT_EQ(hosts("a slots=65535\n"), "a:65535 ");
}

TEST(Hostfile, NamesAnUnknownKeyAndTheKnownOnes) {
  expect_words(refused("a foo=2\n"), {"hosts:1:", "'foo'", "slots", "max_slots", "port", "username"});
  expect_words(refused("x.x.x.x lots=8\n"), {"hosts:1:", "'lots'", "did you mean 'slots'"});
}

TEST(Hostfile, TakesANumberAfterAColonAsSlots) {
  EXPECT_EQ(hosts("a:4\n"), "a:4 ");
  expect_words(refused("a:4 slots=4\n"), {"given twice"});
  expect_words(refused("a:x\n"), {"'x'"});
}

TEST(Hostfile, RefusesSeveralHostsOnALine) {
  expect_words(refused("a,b\n"), {"'a,b'", "one host a line"});
  expect_words(refused("a,b slots=1\n"), {"'a,b'"});
  expect_words(refused("a b\n"), {"unexpected 'b'"});
  expect_words(refused("this is bad slots=1\n"), {"'is'", "'bad'"});
}

TEST(Hostfile, ExpandsSlurmRanges) {
  EXPECT_EQ(hosts("node[1-3] slots=2\n"), "node1:2 node2:2 node3:2 ");
  EXPECT_EQ(hosts("n[09,10]-ib:1\n"), "n09-ib:1 n10-ib:1 ");
  expect_words(refused("n[3-1]\n"), {"hosts:1:", "backwards"});
}

TEST(Hostfile, BoundsTheNumberOfHosts) {
  EXPECT_EQ(parse("n[0-65535]\n").entries.size(), 65536u);
  // A host beyond the bound that is named again.
  expect_words(refused("n[0-65535]\na\na\n"), {"hosts:2: more than 65536 hosts"});
  std::string ranges, lines;
  for (int i = 0; i < 1000; ++i) ranges += "n[0-65535]\n";
  expect_words(refused(ranges), {"hosts:2: more than 65536 hosts"});
  for (int i = 0; i < 70000; ++i) lines += "a\n";
  EXPECT_EQ(hosts(lines, true), "a:70000 ") << "lines are not bounded";
}

TEST(Hostfile, AcceptsIpv6Addresses) {
  EXPECT_EQ(hosts("fe80::1\n2001:db8::10 slots=2\n"), "fe80::1:- 2001:db8::10:2 ");
  EXPECT_EQ(hosts("[2001:db8::10] slots=2\n"), "2001:db8::10:2 ");
  const HostfileResult result = parse("[2001:db8::10]:2222 slots=2\n");
  EXPECT_EQ(result.entries[0].name, "2001:db8::10");
  EXPECT_EQ(result.entries[0].port, 2222);
  expect_words(refused("[2001:db8::10]x\n"), {"hosts:1:", "not a host name"});
  expect_words(refused("[2001:db8::10\n"), {"hosts:1:"});
}

TEST(Hostfile, AcceptsUnderscoresDigitsAndKeywordsAsNames) {
  EXPECT_EQ(hosts("a_b\n7 slots=1\nslots slots=2\nport port=22\ncores slots=1\nrank slots=1\n"),
            "a_b:- 7:1 slots:2 port:- cores:1 rank:1 ");
}

TEST(Hostfile, TakesACaretAsExclusion) {
  EXPECT_EQ(hosts("a slots=1\nb slots=1\n^b\n"), "a:1 ");
  EXPECT_EQ(hosts("^b\na slots=1\nb slots=1\n"), "a:1 ");
  EXPECT_EQ(hosts("n[1-4] slots=1\n^n[2-3]\n"), "n1:1 n4:1 ");
  expect_words(parse("a\n^b\n").warnings.at(0), {"hosts:2:", "^b"});
  expect_words(refused("a\n^a\n"), {"no hosts", "excluded"});
  expect_words(refused("a\n^b slots=2\n"), {"hosts:2:", "excluded"});
}

TEST(Hostfile, StopsAtABadLineAfterGoodOnes) { expect_words(refused("a slots=2\n%bad\n"), {"hosts:2:", "'%bad'"}); }
TEST(Hostfile, RefusesAFileWithoutHosts) {
  expect_words(refused(""), {"hosts has no hosts"});
  expect_words(refused("# only a comment\n"), {"hosts has no hosts"});
}

TEST(Hostfile, ReportsEveryProblemAtOnce) {
  const std::string message = refused("a foo=2 slots=x\nb,c\nd slots=1\nd slots=2\n");
  expect_words(message, {"hosts:1: unknown key 'foo'", "hosts:1: slots='x'", "hosts:2:", "hosts:4:"});
}

TEST(Hostfile, CutsTheListOfProblemsOfAForeignFile) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "%\n";
  const std::string message = refused(text);
  EXPECT_LT(message.size(), 5000u);
  expect_words(message, {"more problems"});
}

TEST(Hostfile, KnowsEverySpellingOfItsKeys) {
  for (const char* key : {"slots", "cpu", "count", "SLOTS"}) EXPECT_EQ(hosts(std::string("a ") + key + "=3\n"), "a:3 ") << key;
  for (const char* key : {"max_slots", "max-slots", "slots_max", "slots-max", "cpu_max", "count-max", "max"})
    EXPECT_EQ(parse(std::string("a ") + key + "=3\n").entries[0].max_slots, 3) << key;
  for (const char* key : {"username", "user-name", "user_name"})
    EXPECT_EQ(parse(std::string("a ") + key + "=eve\n").entries[0].user, "eve") << key;
  for (const char* key : {"boards", "sockets", "cores"}) {
    const HostfileResult result = parse(std::string("a slots=1 ") + key + "=3\n");
    EXPECT_EQ(result.entries[0].slots, 1);
    expect_words(result.warnings.at(0), {key, "no effect"});
  }
}

TEST(Hostfile, AllowsBlanksAroundTheEqualsSign) { EXPECT_EQ(hosts("a slots = 3\nb\tslots =\t2  port= 22\n"), "a:3 b:2 "); }

TEST(Hostfile, KeepsPortAndUserPerHost) {
  const HostfileResult result = parse("u@a slots=2 port=2200\nb username=\"v\" slots=1\n");
  EXPECT_EQ(result.entries[0].user, "u");
  EXPECT_EQ(result.entries[0].port, 2200);
  EXPECT_EQ(result.entries[1].user, "v");
  EXPECT_EQ(hosts_of(result, false).hosts[0].user, "u");
  EXPECT_EQ(hosts_of(result, false).hosts[0].port, 2200);
  expect_words(refused("u@a user=v\n"), {"given twice"});
}

TEST(Hostfile, RefusesNamesThatSshWouldTakeForOptions) {
  expect_words(refused("-oProxyCommand=x\n"), {"hosts:1:"});
  expect_words(refused("-l@a\n"), {"user"});
  expect_words(refused("a user=-x\n"), {"user"});
}

TEST(Hostfile, ExplainsRankfileLinesAndRelativeHosts) {
  expect_words(refused("rank 0=a slot=0\n"), {"--rankfile"});
  expect_words(refused("+n3 slots=2\n"), {"'+n3'", "name of the host"});
  expect_words(refused("slots=2\n"), {"no host name"});
}

}  // namespace
}  // namespace ds
