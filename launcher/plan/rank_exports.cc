#include "launcher/plan/rank_exports.h"

#include <fstream>
#include <iterator>

#include "agent/mca_defaults.h"
#include "launcher/options/env_file.h"
#include "launcher/options/options.h"

namespace ds {
namespace {

constexpr const char* kPrefixes[] = {"NCCL_", "UCX_", "PYTHON", "MV2_"};
constexpr const char* kEnvFile = ".deepspeed_env";

void add_env_file(const std::string& path, std::vector<std::string>& all) {
  std::ifstream file(path);
  if (!file) return;
  std::string text((std::istreambuf_iterator<char>(file)), {});
  for (std::string& one : parse_env_file(text, path)) all.push_back(std::move(one));
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
  if (auto home = environment.find("HOME"); home != environment.end()) add_env_file(home->second + "/" + kEnvFile, result);
  add_env_file(kEnvFile, result);
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
      parameters[std::string("btl_tcp_port_range_") + family] = std::to_string(options.ports->second - options.ports->first + 1);
    }
  for (const auto& [key, value] : options.mca) parameters[key] = value;
  std::vector<std::string> result;
  for (const auto& [key, value] : parameters) result.push_back(key + "=" + value);
  return result;
}

}  // namespace ds
