#include "engine/checkpoint/crc32c.h"

#include <array>

namespace ds {
namespace {

constexpr uint32_t kReversedPolynomial = 0x82F63B78u;

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? kReversedPolynomial : 0);
    table[i] = value;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kTable = make_table();

}  // namespace

uint32_t crc32c_by_table(const void* data, size_t bytes, uint32_t before) {
  const auto* at = static_cast<const unsigned char*>(data);
  uint32_t value = ~before;
  for (size_t i = 0; i < bytes; ++i) value = (value >> 8) ^ kTable[(value ^ at[i]) & 0xFF];
  return ~value;
}

uint32_t crc32c(const void* data, size_t bytes, uint32_t before) {
  static const Crc32cFunction kBest = crc32c_of_processor() ? crc32c_of_processor() : crc32c_by_table;
  return kBest(data, bytes, before);
}

}  // namespace ds
