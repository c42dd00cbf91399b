// Finds the marker that separates what login files print from frames on a stream.
#pragma once

#include <string>
#include <string_view>

namespace ds {

class MarkerScan {
 public:
  explicit MarkerScan(std::string marker) : wanted_("\n" + std::move(marker) + "\n") {}

  // Feeds bytes; true as soon as the marker line has been seen. After that `rest` holds what followed it.
  bool feed(std::string_view bytes);
  const std::string& rest() const { return rest_; }
  // The end of what came before the marker, for error messages; at most kNoiseKept bytes.
  std::string noise() const;

 private:
  static constexpr size_t kNoiseKept = 2000;
  std::string wanted_, seen_ = "\n", rest_;  // a marker in the very first line has a border too
  bool found_ = false;
};

}  // namespace ds
