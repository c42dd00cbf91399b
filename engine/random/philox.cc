#include "engine/random/philox.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ds {
namespace {

std::array<uint32_t, 4> block(uint64_t key, uint64_t number) {
  return philox({static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32), 0, 0},
                {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
}

// Calls use(element, words, word index) for the elements of a range, four to a block.
template <typename Use>
void for_blocks(uint64_t key, int64_t index, int64_t count, const Use& use) {
  for (int64_t i = index; i < index + count;) {
    const auto words = block(key, static_cast<uint64_t>(i) / 4);
    const int64_t end = std::min(index + count, (i / 4 + 1) * 4);
    for (; i < end; ++i) use(i - index, words, static_cast<int>(i % 4));
  }
}

}  // namespace

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> c, std::array<uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * c[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(a)};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c;
}

uint64_t random_key(uint64_t seed, std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  const auto words = philox({static_cast<uint32_t>(hash), static_cast<uint32_t>(hash >> 32), 0, 0},
                            {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  return uint64_t{words[0]} | uint64_t{words[1]} << 32;
}

void counted_normal(uint64_t key, int64_t index, int64_t count, float* out) {
  for_blocks(key, index, count, [&](int64_t at, const std::array<uint32_t, 4>& words, int i) {
    const int pair = i / 2 * 2;
    const double u = (words[pair] + 1.0) / 4294967296.0;  // (0, 1]
    const double angle = words[pair + 1] / 4294967296.0 * 2.0 * std::numbers::pi;
    const double radius = std::sqrt(-2.0 * std::log(u));
    out[at] = static_cast<float>(radius * (i % 2 ? std::sin(angle) : std::cos(angle)));
  });
}

void counted_dropout(uint64_t key, int64_t index, int64_t count, double p, float* out) {
  const double threshold = p * 4294967296.0;
  const float keep = static_cast<float>(1.0 / (1.0 - p));
  for_blocks(key, index, count, [&](int64_t at, const std::array<uint32_t, 4>& words, int i) {
    out[at] = words[i] < threshold ? 0.0f : keep;
  });
}

}  // namespace ds
