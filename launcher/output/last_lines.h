// The last lines that somebody wrote, for the report of a failure. Pure; costs little for data of many lines.
#pragma once

#include <deque>
#include <string>
#include <string_view>

namespace ds {

class LastLines {
 public:
  void add(std::string_view data);  // may begin and end within a line
  bool empty() const { return lines_.empty(); }
  std::string text() const;  // each line ends with a newline

 private:
  static constexpr size_t kLines = 12, kLineBytes = 4000;
  std::deque<std::string> lines_;
  bool open_ = false;  // the last one has no end yet
};

}  // namespace ds
