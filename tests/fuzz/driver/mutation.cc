#include "tests/fuzz/driver/mutation.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace ds::fuzz {
namespace {

size_t below(Random& random, size_t bound) { return bound == 0 ? 0 : random() % bound; }

// Where something may be inserted, the end included.
size_t any_place(Random& random, const std::string& text) { return below(random, text.size() + 1); }

// A piece of at most `most` bytes, often much shorter.
std::string_view any_piece(Random& random, std::string_view text, size_t most) {
  const size_t start = below(random, text.size());
  const size_t longest = std::min(most, text.size() - start);
  return text.substr(start, 1 + below(random, 1 + below(random, longest)));
}

void flip_bit(Random& random, const Corpus&, std::string& text) {
  if (text.empty()) return;
  char& c = text[below(random, text.size())];
  c = static_cast<char>(c ^ (1 << below(random, 8)));
}

void replace_byte(Random& random, const Corpus&, std::string& text) {
  if (!text.empty()) text[below(random, text.size())] = static_cast<char>(random());
}

void insert_bytes(Random& random, const Corpus&, std::string& text) {
  std::string bytes(1 + below(random, 8), '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  text.insert(any_place(random, text), bytes);
}

void remove_range(Random& random, const Corpus&, std::string& text) {
  const std::string_view piece = any_piece(random, text, 64);
  text.erase(static_cast<size_t>(piece.data() - text.data()), piece.size());
}

void move_piece(Random& random, const Corpus&, std::string& text) {
  const std::string piece(any_piece(random, text, 64));
  text.insert(any_place(random, text), piece);
}

// Deep nesting, long names, many lines.
void repeat_piece(Random& random, const Corpus&, std::string& text) {
  const std::string piece(any_piece(random, text, 64));
  if (piece.empty()) return;
  std::string repeated;
  for (size_t n = below(random, size_t{2} << below(random, 13)); n > 0 && repeated.size() < kMostBytes; --n)
    repeated += piece;
  text.insert(any_place(random, text), repeated);
}

void take_from_another(Random& random, const Corpus& corpus, std::string& text) {
  const std::string_view piece = any_piece(random, corpus[below(random, corpus.size())], 256);
  const size_t at = any_place(random, text);
  text.replace(at, below(random, 2) ? piece.size() : 0, piece);
}

void replace_integer(Random& random, const Corpus&, std::string& text) {
  constexpr std::array<uint64_t, 12> kValues{0,      1,          2,          0x7f,       0xff,      0xffff,
                                             0x8000, 0x7fffffff, 0x80000000, 0xffffffff, 1ull << 63, ~0ull};
  const size_t bytes = size_t{1} << below(random, 4);
  if (text.size() < bytes) return;
  const size_t at = below(random, text.size() - bytes + 1);
  const uint64_t value = kValues[below(random, kValues.size())];
  for (size_t i = 0; i < bytes; ++i) text[at + i] = static_cast<char>(value >> (8 * i));
}

void replace_number(Random& random, const Corpus&, std::string& text) {
  constexpr std::array<std::string_view, 14> kNumbers{
      "0", "1", "-1", "65535", "65536", "2147483647", "2147483648", "9223372036854775807", "18446744073709551615",
      "99999999999999999999", "1e308", "1e999", "-0.5", "0-65535"};
  constexpr std::string_view kDigits = "0123456789";
  const size_t start = text.find_first_of(kDigits, any_place(random, text));
  if (start == std::string::npos) return;
  const size_t end = std::min(text.find_first_not_of(kDigits, start), text.size());
  text.replace(start, end - start, kNumbers[below(random, kNumbers.size())]);
}

constexpr std::array kChanges{flip_bit,     replace_byte,      insert_bytes,    remove_range, move_piece,
                              repeat_piece, take_from_another, replace_integer, replace_number};

}  // namespace

std::string mutated(Random& random, const Corpus& corpus) {
  std::string text = corpus[below(random, corpus.size())];
  for (size_t n = 1 + below(random, 8); n > 0; --n) {
    kChanges[below(random, kChanges.size())](random, corpus, text);
    text.resize(std::min(text.size(), kMostBytes));
  }
  return text;
}

}  // namespace ds::fuzz
