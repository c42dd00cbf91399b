// Every key of a DeepSpeed JSON that exists, what it may hold, and what we do with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ds {

enum class Answer {
  kSupported,  // does what DeepSpeed does
  kAccepted,   // a hint that changes no number: accepted without effect
  kLater,      // "not supported yet": an error when it differs from DeepSpeed's default
  kRemoved,    // DeepSpeed itself refuses anything but the default
};
std::string_view name_of(Answer answer);

struct DsKey {
  // "section.key". One component may stand for any name ("*") or for the objects of a list ("[]").
  const char* path;
  // integer | number | flag | word | text | list | any | section (an object) | sections (a list of objects);
  // alternatives with '|'. null is allowed for every key and means the default.
  const char* type;
  const char* fallback;  // DeepSpeed's default as JSON; "" = none
  // value_rule.h; for a section the key that switches it on ("enabled", "device", …), "present" when its presence
  // does, "" when nothing does.
  const char* allowed;
  Answer answer;
};

// The whole table: deepspeed.md part 2. Its parts, one file each:
const std::vector<DsKey>& ds_keys();
std::vector<DsKey> ds_top_keys();        // 2.1, 2.2
std::vector<DsKey> ds_zero_keys();       // 2.3
std::vector<DsKey> ds_parallel_keys();   // 2.4 - 2.7
std::vector<DsKey> ds_data_keys();       // 2.8 - 2.12
std::vector<DsKey> ds_inference_keys();  // 2.13, 2.14

}  // namespace ds
