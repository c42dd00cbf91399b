// Cuts a stream of bytes into whole lines. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ds {

inline constexpr size_t kLongestLine = 8u << 20;  // a longer line is passed on in pieces

class OutputLines {
 public:
  // Returns all lines that are complete now, in one piece ("" if none); keeps the rest.
  std::string feed(std::string_view bytes);
  bool has_rest() const { return !partial_.empty(); }
  std::string rest();  // the unfinished last line: at the end of the stream, or when it must not wait

 private:
  std::string partial_;
};

}  // namespace ds
