// A command line -> which options stand in it, with their values as text. No meaning yet, no files read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launcher/options/app_file.h"

namespace ds {

struct OptionSpec;

struct GivenOption {
  const OptionSpec* spec = nullptr;
  std::vector<std::string> values;
  int program = 0;      // counted from 0; options before the first ":" belong to program 0
  // "file:3: " in an --app file, "OMPI_MCA_key: " for a parameter that means it, "" on the command line.
  std::string where{};
};

struct ScannedCommand {
  std::vector<GivenOption> options;                            // in the order given
  std::vector<std::pair<std::string, std::string>> overrides;  // "train.steps", "200"
  std::vector<std::vector<std::string>> programs;              // argv of each; one entry also when it is empty
  std::vector<std::string> where;                              // of each program, as of an option
  std::string config;                                          // the positional that ends in .cfg, else ""
};

// Appends every problem to `problems`: unknown options (with the nearest known name), missing values, options of later
// versions, options after ":" that hold for the whole job. `app`: lines that stand for the programs of the command line,
// which must have none then; their problems begin with file and line.
ScannedCommand scan_command(const std::vector<std::string>& arguments, std::vector<std::string>& problems,
                            const std::vector<AppLine>& app = {});

// The words of a line as a shell would split it: blanks, quotes, \. `where` ("file:3") begins the message of the kUsage
// Error for a quote that is not closed.
std::vector<std::string> shell_words(const std::string& line, const std::string& where);

}  // namespace ds
