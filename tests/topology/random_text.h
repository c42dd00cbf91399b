// Random input for parsers: bytes, or words a grammar knows in any order. The same seed gives the same text.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace ds {

inline std::string random_bytes(std::mt19937& random, size_t most) {
  std::string text(random() % (most + 1), '\0');
  for (char& c : text) c = static_cast<char>(random() & 0xff);
  return text;
}

inline std::string random_words(std::mt19937& random, const std::vector<std::string>& words, size_t most) {
  std::string text;
  for (size_t n = random() % (most + 1); n > 0; --n) text += words[random() % words.size()];
  return text;
}

// One valid text with a few bytes changed, removed or doubled.
inline std::string mutated(std::mt19937& random, std::string text) {
  for (size_t n = 1 + random() % 4; n > 0 && !text.empty(); --n) {
    const size_t at = random() % text.size();
    switch (random() % 3) {
      case 0: text[at] = static_cast<char>(random() & 0xff); break;
      case 1: text.erase(at, 1 + random() % 3); break;
      default: text.insert(at, text.substr(at, random() % 5)); break;
    }
  }
  return text;
}

}  // namespace ds
