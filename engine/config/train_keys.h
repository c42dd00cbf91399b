// The table of train.cfg's keys: one row per key, everything else (help, checks, defaults) is read from it.
#pragma once

#include <string_view>
#include <vector>

namespace ds {

struct TrainKey {
  const char* key;       // "section.name"
  const char* type;      // integer | number | flag | word | text | path | paths | list
  const char* fallback;  // default; "" = none
  const char* allowed;   // value_rule.h
  const char* later;     // known words that do not work yet ("a|b"), or "*": everything but the default
  const char* meaning;
};

const std::vector<TrainKey>& train_keys();
const TrainKey* find_train_key(std::string_view key);  // nullptr when unknown

}  // namespace ds
