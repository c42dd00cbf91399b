// CRC-32C by the SSE4.2 instruction of x86-64 processors.
#include <nmmintrin.h>

#include <cstring>

#include "engine/checkpoint/crc32c.h"

namespace ds {
namespace {

__attribute__((target("sse4.2"))) uint32_t by_instruction(const void* data, size_t bytes, uint32_t before) {
  const auto* at = static_cast<const unsigned char*>(data);
  uint64_t value = ~before;
  for (; bytes >= 8; bytes -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    value = _mm_crc32_u64(value, word);
  }
  auto narrow = static_cast<uint32_t>(value);
  for (; bytes > 0; --bytes, ++at) narrow = _mm_crc32_u8(narrow, *at);
  return ~narrow;
}

}  // namespace

Crc32cFunction crc32c_of_processor() { return __builtin_cpu_supports("sse4.2") ? by_instruction : nullptr; }

}  // namespace ds
