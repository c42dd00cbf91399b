// A "parser" with every kind of bug, each at the word that names it. For the test of the driver.
#include <climits>
#include <string_view>
#include <vector>

#include "tests/fuzz/expect.h"

namespace ds::fuzz {
namespace {

volatile int sink = INT_MAX;

int depth() { return sink == 0 ? 0 : 1 + depth(); }

void parse(std::string_view text) {
  if (text == "overflow") sink = text.data()[text.size()];
  if (text == "undefined") sink = sink + 1;
  if (text == "exception") throw Error(ErrorCode::kInternal, "lost");
  if (text == "promise") require(false, "two is three");
  if (text == "nesting") sink = depth();
  if (text == "memory") std::vector<char>(size_t{1} << 40).swap(*new std::vector<char>);
  while (text == "hang" && sink != 0) {
  }
}

}  // namespace
}  // namespace ds::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ds::fuzz::parse(ds::fuzz::text_of(data, size));
  return 0;
}
