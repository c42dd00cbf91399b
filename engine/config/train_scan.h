// train.cfg's lines -> keys and values as text, with every problem of form at once.
#pragma once

#include <string>
#include <vector>

namespace ds {

struct ScannedKey {
  std::string key;    // "section.name"
  std::string value;  // without comment, trimmed
  int line = 0;
};

// `[section]`, `name = value`, and `#` comments (at the start of a line or after a blank). Lines that are none of these
// are problems "NAME:LINE: …"; keys and values themselves are not checked here.
std::vector<ScannedKey> scan_train_config(const std::string& text, const std::string& name,
                                          std::vector<std::string>& problems);

}  // namespace ds
