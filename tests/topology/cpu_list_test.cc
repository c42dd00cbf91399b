#include "topology/cpu_list.h"

#include <gtest/gtest.h>

#include "tests/topology/expect_error.h"

namespace ds {
namespace {

using Cpus = std::vector<int>;

TEST(CpuList, ReadsNumbersAndRangesInTheirOrder) {
  EXPECT_EQ(parse_cpu_list("0"), (Cpus{0}));
  EXPECT_EQ(parse_cpu_list("4-6, 0,2"), (Cpus{4, 5, 6, 0, 2}));
}
TEST(CpuList, WritesWhatItReads) {
  for (const char* text : {"0", "0-2,5", "7,3-4", "1,0"}) EXPECT_EQ(cpu_list_text(parse_cpu_list(text)), text);
  EXPECT_EQ(cpu_list_text({}), "");
}
TEST(CpuList, RefusesEverythingElse) {
  for (const char* text : {"", ",", "a", "1-", "-1", "3-1", "1,1", "0-3,2", "99999999999", "0-99999999", "1--2"})
    expect_words(usage_error_of([&] { parse_cpu_list(text); }), {std::string("'") + text + "'"});
}

}  // namespace
}  // namespace ds
