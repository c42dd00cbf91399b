// Lines that prove themselves: "<rank> <number> <checksum> <payload>". Writers and checkers of tests that look for lines
// that are lost, repeated, out of order or mixed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

namespace ds::testing {

inline uint64_t checksum_of(std::string_view text, uint64_t seed) {
  uint64_t sum = 0xcbf29ce484222325u ^ seed;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return sum;
}

// Without a newline; payloads from empty to `longest` bytes, most of them short.
inline std::string checked_line(uint64_t rank, uint64_t number, size_t longest) {
  const uint64_t mixed = checksum_of(std::to_string(number), rank);
  size_t length = mixed % 200;
  if (mixed / 200 % 50 == 0) length = mixed % 20000;
  if (mixed / 200 % 4000 == 0) length = longest;
  std::string payload(length < longest ? length : longest, static_cast<char>('a' + mixed % 26));
  char head[80];
  std::snprintf(head, sizeof head, "%llu %llu %016llx ", static_cast<unsigned long long>(rank),
                static_cast<unsigned long long>(number), static_cast<unsigned long long>(checksum_of(payload, number)));
  return head + payload;
}

// Takes lines of many ranks, each rank's in order from 0.
class LineCheck {
 public:
  // `allow_gaps`: numbers of a rank may be left out, but never go back.
  explicit LineCheck(bool allow_gaps = false) : allow_gaps_(allow_gaps) {}

  void feed(std::string_view bytes) {
    rest_ += bytes;
    size_t start = 0, end;
    for (; (end = rest_.find('\n', start)) != std::string::npos; start = end + 1)
      line(std::string_view(rest_).substr(start, end - start));
    rest_.erase(0, start);
  }
  void end() {
    if (!rest_.empty()) line(rest_);
    rest_.clear();
  }

  const std::string& problem() const { return problem_; }  // the first one; "" = none
  uint64_t lines() const { return lines_; }
  const std::map<uint64_t, uint64_t>& next() const { return next_; }  // by rank: one more than the last number
  std::string others;  // lines that begin with no digit, each with its newline

 private:
  void line(std::string_view text) {
    if (text.empty() || text[0] < '0' || text[0] > '9') return void(others.append(text).append("\n"));
    unsigned long long rank = 0, number = 0, sum = 0;
    int used = 0;
    const std::string head(text.substr(0, 80));
    const bool read = std::sscanf(head.c_str(), "%llu %llu %16llx%n", &rank, &number, &sum, &used) == 3;
    const size_t start = static_cast<size_t>(used) + 1;
    if (!read || start > text.size() || checksum_of(text.substr(start), number) != sum)
      return fail("damaged line: " + head);
    uint64_t& next = next_[rank];
    if (allow_gaps_ ? number < next : number != next)
      fail("rank " + std::to_string(rank) + ": line " + std::to_string(number) + " where " + std::to_string(next) + " is due");
    next = number + 1;
    ++lines_;
  }
  void fail(const std::string& text) {
    if (problem_.empty()) problem_ = text;
  }

  bool allow_gaps_;
  std::string rest_, problem_;
  uint64_t lines_ = 0;
  std::map<uint64_t, uint64_t> next_;
};

}  // namespace ds::testing
