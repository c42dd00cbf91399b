#include "engine/tools/command.h"

#include <algorithm>
#include <limits>
#include <ostream>

#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

bool is_help(const std::string& word) { return word == "--help" || word == "-h" || word == "help"; }

void print_commands(const std::string& program, const std::vector<Command>& commands, std::ostream& out) {
  out << "Usage: " << program << " COMMAND …\n\n";
  size_t width = 0;
  for (const Command& c : commands) width = std::max(width, c.name.size());
  for (const Command& c : commands)
    out << "  " << c.name << std::string(width - c.name.size() + 2, ' ') << c.summary << "\n";
  out << "\n" << program << " COMMAND --help says more, with an example.\n"
      << "Exit code: 0 all well, 1 something was found or failed, 2 wrong usage.\n";
}

}  // namespace

Arguments::Arguments(const std::vector<std::string>& words, const std::vector<OptionRule>& rules, size_t min_positional,
                     size_t max_positional) {
  std::vector<std::string> problems, names;
  for (const OptionRule& rule : rules) names.push_back(rule.name);
  bool options_ended = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!options_ended && word == "--") {
      options_ended = true;
      continue;
    }
    if (options_ended || word.size() < 2 || word[0] != '-') {
      positional_.push_back(word);
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const OptionRule& r) { return r.name == name; });
    if (rule == rules.end()) {
      const std::string near = nearest(name, names);
      problems.push_back("unknown option " + name + (near.empty() ? "" : ", nearest is " + near));
    } else if (!rule->takes_value) {
      if (equals != std::string::npos) problems.push_back("option " + name + " takes no value");
      values_[name] = "";
    } else if (equals != std::string::npos) {
      values_[name] = word.substr(equals + 1);
    } else if (i + 1 < words.size()) {
      values_[name] = words[++i];
    } else {
      problems.push_back("option " + name + " needs a value");
    }
  }
  if (positional_.size() < min_positional) problems.push_back("too few arguments");
  if (positional_.size() > max_positional) problems.push_back("too many arguments: " + positional_[max_positional]);
  throw_if_any("", problems);
}

std::string Arguments::text(const std::string& option, const std::string& fallback) const {
  const auto found = values_.find(option);
  return found == values_.end() ? fallback : found->second;
}

int64_t Arguments::number(const std::string& option, int64_t fallback, int64_t least) const {
  if (!has(option)) return fallback;
  const auto value = parse_int(text(option));
  if (!value || *value < least)
    throw Error(ErrorCode::kUsage, "option " + option + "=" + text(option) + ": a whole number, at least " +
                                       std::to_string(least));
  return *value;
}

int run_command(const std::string& program, const std::vector<Command>& commands, const std::vector<std::string>& words,
                std::ostream& out) {
  if (words.empty() || is_help(words[0])) {
    print_commands(program, commands, out);
    return words.empty() ? kToolUsage : kToolOk;
  }
  const auto found =
      std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == words[0]; });
  if (found == commands.end()) {
    std::vector<std::string> names;
    for (const Command& c : commands) names.push_back(c.name);
    const std::string near = nearest(words[0], names);
    throw Error(ErrorCode::kUsage, "unknown command '" + words[0] + "'" +
                                       (near.empty() ? "" : ", nearest is '" + near + "'") + " (" + program +
                                       " --help lists them)");
  }
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  const auto end_of_options = std::find(rest.begin(), rest.end(), "--");
  if (!found->help.empty() &&
      std::any_of(rest.begin(), end_of_options, [](const std::string& w) { return w == "--help" || w == "-h"; })) {
    out << found->help;
    return kToolOk;
  }
  return found->run(rest, out);
}

}  // namespace ds
