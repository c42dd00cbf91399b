#include "engine/data/token_source.h"

#include <algorithm>
#include <cstdio>

#include "engine/data/stream_hash.h"

namespace ds {
namespace {

// FNV-1a, a token at a time: stable over machines and compilers, unlike std::hash.
void mix(uint64_t& hash, uint64_t value) {
  for (int i = 0; i < 8; ++i) hash = (hash ^ (value >> (8 * i) & 0xff)) * 0x100000001b3ull;
}

}  // namespace

std::string TokenSource::locate(int64_t offset) const { return describe() + ": token " + std::to_string(offset); }

std::string sampled_fingerprint(const TokenSource& source) {
  constexpr int64_t kRuns = 64, kRunTokens = 64;
  const int64_t size = source.size(), run = std::min(kRunTokens, size);
  uint64_t hash = 0xcbf29ce484222325ull;
  std::vector<int64_t> tokens(static_cast<size_t>(run));
  for (int64_t i = 0; i < kRuns; ++i) {
    // Doubles would do here too, but not beyond 2^53 tokens; quotient and remainder cannot overflow.
    const int64_t span = size - run, offset = span / (kRuns - 1) * i + span % (kRuns - 1) * i / (kRuns - 1);
    source.read(offset, run, tokens.data());
    for (const int64_t token : tokens) mix(hash, static_cast<uint64_t>(token));
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return std::to_string(size) + ":" + text;
}

}  // namespace ds
