// What fuzz targets may see from a parser: an answer, or the error that its header documents. All else ends the
// program.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "topology/base/error.h"

// What libFuzzer and driver/ call with one input. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace ds::fuzz {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Aborts when a promise of the parser does not hold.
inline void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

// What `parse` returns, or nullopt when it refuses with a message and the code `refusal`. Other exceptions pass.
template <class Parse>
auto answer_of(Parse parse, ErrorCode refusal = ErrorCode::kUsage) -> std::optional<decltype(parse())> {
  try {
    return parse();
  } catch (const Error& error) {
    require(error.code() == refusal, "a refusal has the documented code");
    require(*error.what() != '\0', "a refusal has a message");
    return std::nullopt;
  }
}

}  // namespace ds::fuzz
