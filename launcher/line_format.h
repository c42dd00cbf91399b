// How a rank's lines look on the terminal: mpirun's tags and time stamps.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

namespace ds {

struct LineFormat {
  bool tag = false;        // "[1,3]<stdout>:" before each line: job 1, rank 3
  bool timestamp = false;  // "Sun Nov 29 18:28:10 2026<stdout>:"; with the tag both, the time first

  bool plain() const { return !tag && !timestamp; }

  // `data` holds whole lines; only the last may lack its newline. With tags every line gets a prefix and an end, so
  // that lines of different ranks never share a line.
  std::string apply(int rank, bool is_stderr, std::string_view data, std::time_t now) const;
};

}  // namespace ds
