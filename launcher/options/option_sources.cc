#include "launcher/options/option_sources.h"

#include <algorithm>

#include "launcher/options/mpirun_words.h"
#include "launcher/options/option_table.h"
#include "launcher/options/parameter_file.h"
#include "launcher/options/placement_parameters.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

// The words of a file that an option names; none for other options.
std::vector<std::string> words_of_file(const GivenOption& given) {
  const std::string& name = given.spec->names[0];
  if (name == "tune") return tune_file_words(read_file(given.values[0]), given.values[0]);
  if (name == "am") return am_file_words(read_file(given.values[0]), given.values[0]);
  return {};
}

// The words of --tune and --am files come first: what is given on the command line wins over them.
ScannedCommand scan_with_files(const std::vector<std::string>& arguments, std::vector<std::string>& problems) {
  std::vector<std::string> ignored, words;
  std::vector<AppLine> app;
  for (const GivenOption& given : scan_command(arguments, ignored).options) {
    const std::vector<std::string> more = words_of_file(given);
    words.insert(words.end(), more.begin(), more.end());
    if (given.spec->names[0] == "app") app = app_lines(read_file(given.values[0]), given.values[0]);
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  return scan_command(words, problems, app);
}

// Options that answer the same question: one of them on the command line replaces all of them in a [launch] section.
std::string question_of(const OptionSpec& spec) {
  const std::string& name = spec.names[0];
  if (name == "host" || name == "hostfile") return "hosts";
  if (name == "include" || name == "exclude" || name == "num_nodes" || name == "num_gpus") return "filter";
  if (name == "oversubscribe" || name == "nooversubscribe") return "oversubscription";
  if (name == "npernode" || name == "pernode") return "ranks on a host";
  if (name == "cpu-list" || name == "bind_core_list") return "cores";
  return name;
}

void add_defaults(const std::vector<std::string>& words, ScannedCommand& scanned, std::vector<std::string>& problems,
                  const std::string& where = "") {
  std::vector<GivenOption> all;
  for (GivenOption& standard : scan_command(words, problems).options) {
    standard.where = where;
    bool replaced = std::any_of(scanned.options.begin(), scanned.options.end(), [&](const GivenOption& given) {
      return !given.spec->adds_up && question_of(*given.spec) == question_of(*standard.spec);
    });
    if (!replaced) all.push_back(standard);
  }
  all.insert(all.end(), scanned.options.begin(), scanned.options.end());
  scanned.options = std::move(all);
}

void add_meant(const std::vector<MeantOption>& meant, ScannedCommand& scanned, std::vector<std::string>& problems) {
  for (const MeantOption& option : meant) add_defaults(option.words, scanned, problems, option.parameter + ": ");
}

std::vector<MeantOption> meant_by_mca(const ScannedCommand& scanned) {
  Parameters parameters;
  for (const GivenOption& given : scanned.options)
    if (given.spec->names[0] == "mca" && given.values.size() == 2)
      parameters.emplace_back(given.values[0], given.values[1]);
  return options_meant(parameters);
}

void take_environment(const std::map<std::string, std::string>& environment, ScannedCommand& scanned,
                      std::vector<std::string>& problems, std::vector<std::string>& notes) {
  const Parameters parameters = parameters_of(environment);
  add_meant(options_meant(parameters, "OMPI_MCA_"), scanned, problems);
  for (const auto& [key, value] : parameters)
    if (is_about_placement(key)) notes.push_back(without_effect("OMPI_MCA_" + key));
}

}  // namespace

ScannedCommand options_from_everywhere(const std::vector<std::string>& arguments,
                                       const std::vector<std::string>& defaults,
                                       const std::map<std::string, std::string>& environment,
                                       std::vector<std::string>& problems, std::vector<std::string>& notes) {
  ScannedCommand scanned = scan_with_files(arguments, problems);
  add_meant(meant_by_mca(scanned), scanned, problems);
  add_defaults(defaults, scanned, problems);
  take_environment(environment, scanned, problems, notes);
  return scanned;
}

}  // namespace ds
