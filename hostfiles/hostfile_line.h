// One line of a hostfile: text -> names and settings, before lines are compared with each other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ds {

// The text without byte order mark and comments (#..., //..., /* ... */ also over lines); line breaks are kept.
// An unclosed /* gives its line in `unclosed_line`, else 0.
std::string without_comments(std::string_view text, int& unclosed_line);

struct HostfileLine {
  std::vector<std::string> names{};  // a range gives several
  bool excluded = false;
  std::optional<int> slots{}, max_slots{};
  int port = 0;
  std::string user{};
  std::vector<std::string> problems{}, warnings{};  // without file and line
};

// `line` is not blank and has no comment.
HostfileLine parse_hostfile_line(std::string_view line);

}  // namespace ds
