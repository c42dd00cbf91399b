#include "launcher/plan/rank_exports.h"

#include <filesystem>

#include "agent/mca_defaults.h"
#include "launcher/options/env_file.h"
#include "launcher/options/options.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr const char* kPrefixes[] = {"NCCL_", "UCX_", "PYTHON", "MV2_", "MLFLOW"};
using Environment = std::map<std::string, std::string>;

void add_env_file(const std::string& path, std::vector<std::string>& all) {
  if (const auto text = read_file_if_there(path))
    for (std::string& one : parse_env_file(*text, path)) all.push_back(std::move(one));
}

// DS_ENV_FILE is DeepSpeed's name for another name, or for a path; empty, it switches the files off.
void add_env_files(const Environment& environment, std::vector<std::string>& all) {
  const auto named = environment.find("DS_ENV_FILE"), home = environment.find("HOME");
  const std::string name = named == environment.end() ? ".deepspeed_env" : named->second;
  if (name.empty()) return;
  const bool absolute = std::filesystem::path(name).is_absolute();
  if (!absolute && home != environment.end()) add_env_file(home->second + "/" + name, all);
  add_env_file(name, all);
}

}  // namespace

std::vector<std::string> resolve_exports(const std::vector<std::string>& exports,
                                         const std::map<std::string, std::string>& environment,
                                         std::vector<std::string>& warnings) {
  std::vector<std::string> result;
  for (const std::string& one : exports) {
    if (one.find('=') != std::string::npos) {
      result.push_back(one);
    } else if (auto it = environment.find(one); it != environment.end()) {
      result.push_back(one + "=" + it->second);
    } else {
      warnings.push_back("-x " + one + ": the variable is not set, ranks do not get it");
    }
  }
  return result;
}

std::vector<std::string> common_exports(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> result;
  for (const auto& [name, value] : environment)
    for (const char* prefix : kPrefixes)
      if (name.starts_with(prefix)) result.push_back(name + "=" + value);
  add_env_files(environment, result);
  return result;
}

std::vector<std::string> mpi_parameters(const Options& options, const std::map<std::string, std::string>& environment) {
  static const std::string kPrefix = "OMPI_MCA_";
  std::map<std::string, std::string> parameters;
  for (const auto& [name, value] : environment)
    if (is_user_parameter(name)) parameters[name.substr(kPrefix.size())] = value;
  if (options.ports)
    for (const char* family : {"v4", "v6"}) {
      parameters[std::string("btl_tcp_port_min_") + family] = std::to_string(options.ports->first);
      parameters[std::string("btl_tcp_port_range_") + family] =
          std::to_string(options.ports->second - options.ports->first + 1);
    }
  for (const auto& [key, value] : options.mca) parameters[key] = value;
  std::vector<std::string> result;
  for (const auto& [key, value] : parameters) result.push_back(key + "=" + value);
  return result;
}

}  // namespace ds
