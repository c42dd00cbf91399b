// The header of a safetensors file -> entries. The input is the whole file.
#include "engine/checkpoint/safetensors_header.h"

#include <algorithm>

#include "tests/fuzz/expect.h"

namespace ds::fuzz {
namespace {

bool same_entry(const SafetensorsEntry& a, const SafetensorsEntry& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape && a.begin == b.begin && a.end == b.end;
}

}  // namespace
}  // namespace ds::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ds;
  const std::string_view file = fuzz::text_of(data, size);
  int64_t start = 0;
  const auto entries = fuzz::answer_of([&] { return parse_safetensors(file, "f", &start); }, ErrorCode::kCorrupt);
  if (!entries) return 0;
  const auto tensors = file.substr(static_cast<size_t>(start));
  for (const SafetensorsEntry& entry : *entries)
    fuzz::require(0 <= entry.begin && entry.begin <= entry.end && entry.end <= static_cast<int64_t>(tensors.size()),
                  "a tensor lies in its file");
  const auto again = parse_safetensors(safetensors_header(*entries) + std::string(tensors), "again", &start);
  fuzz::require(std::equal(entries->begin(), entries->end(), again.begin(), again.end(), fuzz::same_entry),
                "entries are read as they were written");
  return 0;
}
