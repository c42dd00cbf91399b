// The options of dslaunch as data: names, values, where they may stand, what help says. Parsing and help read this table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ds {

enum class OptionAnswer {
  kSupported,
  kNoEffect,      // accepted because scripts written for mpirun or DeepSpeed give it
};

struct OptionSpec {
  std::vector<std::string> names;  // without dashes; the first is the one messages and code use
  std::string value;               // placeholder of the value in help; "" = a flag, "k v" = two values
  std::string group;               // heading in help
  std::string help;
  OptionAnswer answer = OptionAnswer::kSupported;
  bool per_program = false;  // may be given again after ":" and then holds for that program
  bool adds_up = false;      // repeated with different names: all count
  bool one_list = false;     // repeated: all count, as if given with commas

  int num_values() const;
};

const std::vector<OptionSpec>& option_table();

// nullptr when no option has exactly this name.
const OptionSpec* find_option(std::string_view name);

// "-n" or "--hostfile": as people write it.
std::string with_dashes(const std::string& name);

// The text of -h: usage, examples, all options by group.
std::string help_text();

}  // namespace ds
