// What a dstool command is, and what it gets from its command line.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ds {

enum ToolExit : int { kToolOk = 0, kToolFinding = 1, kToolUsage = 2 };

struct OptionRule {
  std::string name;        // "--json"
  bool takes_value = false;
};

// A command line split by rules. Option names are never guessed; "--x=v" and "--x v" are the same; "--" ends options.
class Arguments {
 public:
  // Throws one kUsage Error with all problems: unknown options (with the nearest known one), missing values, too few or
  // too many positional arguments.
  Arguments(const std::vector<std::string>& words, const std::vector<OptionRule>& rules, size_t min_positional,
            size_t max_positional);

  const std::vector<std::string>& positional() const { return positional_; }
  bool has(const std::string& option) const { return values_.count(option) != 0; }
  std::string text(const std::string& option, const std::string& fallback = "") const;
  // Throws kUsage when it is not a whole number or too small.
  int64_t number(const std::string& option, int64_t fallback, int64_t least) const;

 private:
  std::vector<std::string> positional_;
  std::map<std::string, std::string> values_;
};

struct Command {
  std::string name;
  std::string summary;  // one line of `dstool --help`
  std::string help;     // what `dstool NAME --help` prints: usage, meaning, an example
  // `words`: what follows the name. Prints results to `out`; returns kToolOk or kToolFinding; throws Error.
  std::function<int(const std::vector<std::string>& words, std::ostream& out)> run;
};

// Picks the command that words[0] names and runs it with the rest; answers --help, and an unknown name with kUsage and
// the nearest one. `program` is what stands before the name in messages.
int run_command(const std::string& program, const std::vector<Command>& commands, const std::vector<std::string>& words,
                std::ostream& out);

}  // namespace ds
