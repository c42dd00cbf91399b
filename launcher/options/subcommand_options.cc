#include "launcher/options/subcommand_options.h"

#include <map>

#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

struct Subcommand {
  Command command;
  // With their dashes: names of one letter have one, longer ones may be given with one too.
  std::vector<std::string> flags;
  std::vector<std::string> values;  // options that take one value
};

const std::map<std::string, Subcommand>& subcommands() {
  static const std::map<std::string, Subcommand> table = {
      {"status", {Command::kStatus, {"--json"}, {}}},
      {"stop", {Command::kStop, {"--checkpoint"}, {}}},
      {"resize", {Command::kResize, {}, {"--np", "--add-host", "--remove-host"}}},
      {"logs", {Command::kLogs, {"-f", "--follow"}, {"--rank", "--color"}}},
  };
  return table;
}

bool among(const std::vector<std::string>& names, const std::string& name) {
  for (const std::string& one : names)
    if (one == name) return true;
  return false;
}

// "-rank=1" -> "--rank", "1".
std::pair<std::string, std::optional<std::string>> name_and_value(const std::string& word) {
  const size_t equals = word.starts_with('-') ? word.find('=') : std::string::npos;
  std::string name = word.substr(0, equals);
  if (name.size() > 2 && name[0] == '-' && name[1] != '-') name.insert(0, "-");
  if (equals == std::string::npos) return {name, std::nullopt};
  return {name, word.substr(equals + 1)};
}

void take_value(const std::string& name, const std::string& value, Options& options,
                std::vector<std::string>& problems) {
  if (name == "--color") {
    options.color = value;
    if (!among({"auto", "always", "never"}, value))
      problems.push_back("option --color=" + value + ": must be auto, always or never");
  }
  if (name != "--rank") return;
  std::optional<int64_t> rank = parse_int(value);
  if (rank && *rank >= 0 && *rank < (1 << 20))
    options.rank = static_cast<int>(*rank);
  else
    problems.push_back("option --rank=" + value + ": must be a rank");
}

}  // namespace

std::optional<Options> parse_subcommand(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "agents") {
    Options options;
    options.command = among(arguments, "--help") || among(arguments, "-h") ? Command::kHelp : Command::kAgents;
    options.arguments.assign(arguments.begin() + 1, arguments.end());
    return options;
  }
  auto found = arguments.empty() ? subcommands().end() : subcommands().find(arguments[0]);
  if (found == subcommands().end()) return std::nullopt;
  const Subcommand& sub = found->second;
  Options options;
  options.command = sub.command;
  std::vector<std::string> problems;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const auto [word, value] = name_and_value(arguments[i]);
    if (word == "-h" || word == "--help") {
      options.command = Command::kHelp;
      return options;
    }
    if (among(sub.flags, word) && value) {
      problems.push_back("option " + word + " has no value: " + *value);
    } else if (among(sub.flags, word)) {
      options.json |= word == "--json";
      options.checkpoint |= word == "--checkpoint";
      options.follow |= word == "-f" || word == "--follow";
    } else if (among(sub.values, word)) {
      if (value) take_value(word, *value, options, problems);
      else if (++i < arguments.size()) take_value(word, arguments[i], options, problems);
      else problems.push_back("option " + word + " needs a value");
    } else if (word.size() > 1 && word[0] == '-') {
      std::vector<std::string> known = sub.flags;
      known.insert(known.end(), sub.values.begin(), sub.values.end());
      problems.push_back(arguments[0] + ": unknown option " + arguments[i] + "; known: " + join(known, " "));
    } else if (options.job.empty()) {
      options.job = word;
    } else {
      problems.push_back(arguments[0] + ": one job at a time: " + options.job + ", " + word);
    }
  }
  throw_if_any("", problems);
  return options;
}

}  // namespace ds
