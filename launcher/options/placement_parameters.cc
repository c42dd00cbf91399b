#include "launcher/options/placement_parameters.h"

#include <algorithm>

#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

struct Meaning {
  std::vector<std::string_view> keys;
  std::vector<std::string> words;  // "%" stands for the value; without it the parameter is a switch
};

const std::vector<Meaning>& meanings() {
  static const std::vector<Meaning> table = {
      {{"rmaps_base_oversubscribe"}, {"--oversubscribe"}},
      {{"rmaps_base_no_oversubscribe"}, {"--nooversubscribe"}},
      {{"rmaps_base_no_schedule_local"}, {"--nolocal"}},
      {{"rmaps_base_mapping_policy", "rmaps_base_schedule_policy"}, {"--map-by", "%"}},
      {{"rmaps_base_bycore"}, {"--map-by", "core"}},
      {{"rmaps_base_bynode"}, {"--map-by", "node"}},
      {{"rmaps_base_byslot"}, {"--map-by", "slot"}},
      {{"rmaps_base_n_persocket", "rmaps_ppr_n_persocket"}, {"--map-by", "ppr:%:socket"}},
      {{"rmaps_base_pattern", "rmaps_ppr_pattern"}, {"--map-by", "ppr:%"}},
      {{"rmaps_base_pernode", "rmaps_ppr_pernode"}, {"--pernode"}},
      {{"rmaps_base_n_pernode", "rmaps_ppr_n_pernode"}, {"--npernode", "%"}},
      {{"rmaps_base_ranking_policy"}, {"--rank-by", "%"}},
      {{"rmaps_base_cpus_per_proc", "rmaps_base_cpus_per_rank"}, {"--cpus-per-rank", "%"}},
      {{"rmaps_base_display_map", "rmaps_base_display_devel_map"}, {"--display-map"}},
      {{"rmaps_base_display_diffable_map"}, {"--display-map"}},
      {{"rmaps_rank_file_path", "orte_rankfile"}, {"--rankfile", "%"}},
      {{"hwloc_base_binding_policy"}, {"--bind-to", "%"}},
      {{"hwloc_base_bind_to_core"}, {"--bind-to", "core"}},
      {{"hwloc_base_bind_to_socket"}, {"--bind-to", "socket"}},
      {{"hwloc_base_report_bindings"}, {"--report-bindings"}},
      {{"hwloc_base_cpu_list", "hwloc_base_cpu_set", "hwloc_base_slot_list"}, {"--cpu-list", "%"}},
      {{"hwloc_base_use_hwthreads_as_cpus"}, {"--use-hwthread-cpus"}},
      {{"orte_default_hostfile"}, {"--default-hostfile", "%"}},
      {{"orte_display_alloc", "orte_display_devel_alloc"}, {"--display-allocation"}},
      {{"orte_tag_output"}, {"--tag-output"}},
      {{"orte_timestamp_output"}, {"--timestamp-output"}},
  };
  return table;
}

const Meaning* meaning_of(std::string_view key) {
  for (const Meaning& meaning : meanings())
    if (std::find(meaning.keys.begin(), meaning.keys.end(), key) != meaning.keys.end()) return &meaning;
  return nullptr;
}

bool is_switch(const Meaning& meaning) {
  return meaning.words.back().find('%') == std::string::npos;
}

// As Open MPI reads them.
bool is_on(const std::string& parameter, const std::string& value) {
  const std::string word = lower(value);
  if (const auto number = parse_int(word)) return *number != 0;
  for (const char* on : {"true", "t", "yes", "y", "enabled"})
    if (word == on) return true;
  for (const char* off : {"false", "f", "no", "n", "disabled"})
    if (word == off) return false;
  throw Error(ErrorCode::kUsage, parameter + ": " + value + ": must be 1 or 0, true or false");
}

std::vector<std::string> filled(std::vector<std::string> words, const std::string& value) {
  for (std::string& word : words)
    if (const size_t at = word.find('%'); at != word.npos) word.replace(at, 1, value);
  return words;
}

}  // namespace

bool means_an_option(std::string_view key) { return meaning_of(key) != nullptr; }

std::vector<MeantOption> options_meant(const Parameters& parameters, const std::string& prefix) {
  std::vector<MeantOption> result;
  std::vector<const Meaning*> seen;
  for (auto one = parameters.rbegin(); one != parameters.rend(); ++one) {
    const Meaning* meaning = meaning_of(one->first);
    if (!meaning || one->second.empty() || std::find(seen.begin(), seen.end(), meaning) != seen.end()) continue;
    seen.push_back(meaning);
    const std::string parameter = prefix + one->first;
    if (!is_switch(*meaning) || is_on(parameter, one->second))
      result.push_back({parameter, filled(meaning->words, one->second)});
  }
  return result;
}

Parameters parameters_of(const std::map<std::string, std::string>& environment) {
  static const std::string kPrefix = "OMPI_MCA_";
  Parameters result;
  if (environment.contains("OMPI_COMM_WORLD_SIZE")) return result;
  for (const auto& [name, value] : environment)
    if (name.starts_with(kPrefix)) result.emplace_back(name.substr(kPrefix.size()), value);
  return result;
}

bool is_about_placement(std::string_view key) {
  if (key.ends_with("_verbose") || means_an_option(key)) return false;
  return key.starts_with("rmaps_") || key.starts_with("hwloc_base_");
}

std::string without_effect(const std::string& parameter) {
  return parameter + " has no effect here: --map-by, --rank-by and --bind-to say where ranks go";
}

}  // namespace ds
