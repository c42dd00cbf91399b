// How a rank's lines look on the terminal: mpirun's tags and time stamps, in the colour of the rank.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

namespace ds {

struct LineFormat {
  bool tag = false;        // "[1,3]<stdout>:" before each line: job 1, rank 3
  bool timestamp = false;  // "Sun Nov 29 18:28:10 2026<stdout>:"; with the tag both, the time first
  bool colour_out = false, colour_err = false;  // of the prefix, on stdout and stderr

  bool plain() const { return !tag && !timestamp; }

  // `data` holds whole lines; only the last may lack its newline. With tags every line gets a prefix and an end, so
  // that lines of different ranks never share a line.
  std::string apply(int rank, bool is_stderr, std::string_view data, std::time_t now) const;
};

// Each line of `data` with the prefix before it and an end.
std::string with_prefix(const std::string& prefix, std::string_view data);

}  // namespace ds
