// What the reading of a configuration has found so far: problems (all are told), notes, and what each key became.
#pragma once

#include <string>
#include <vector>

namespace ds {

// One row of `dstool check`: a key, the value in effect, where it comes from, and what we do with it.
struct ConfigRow {
  std::string key, value, source, answer;
};

struct Findings {
  std::vector<std::string> problems;
  std::vector<std::string> notes;
  std::vector<ConfigRow> rows;

  // Adds a row, or changes value and source of the row that this key already has.
  void became(const std::string& key, const std::string& value, const std::string& source,
              const std::string& answer = "supported");
};

}  // namespace ds
