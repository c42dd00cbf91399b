#include "agent/rank_server/mpirun/mpirun_command.h"

#include <algorithm>
#include <cctype>

#include "agent/proto/control.pb.h"
#include "topology/numeric_address.h"

namespace ds {

static bool starts_with_any(const std::string& name, std::initializer_list<const char*> beginnings) {
  for (const char* beginning : beginnings)
    if (name.starts_with(beginning)) return true;
  return false;
}

// A name of letters, digits and hyphens, or an IPv4 address. mpirun cuts a domain off, and takes neither '_' nor ':'.
static bool suits_mpirun(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '-'; });
  return plain || address_bytes(name).size() == 4;
}

std::string mpirun_name(const control::StartGeneration& start, int node) {
  const std::string& name = start.hosts(node).name();
  return suits_mpirun(name) ? name : "dslaunch-node-" + std::to_string(node);
}

std::string sequential_hostfile(const control::StartGeneration& start) {
  std::vector<std::string> host_of(start.world_size());
  for (int node = 0; node < start.hosts_size(); ++node) {
    const auto& host = start.hosts(node);
    const std::string name = mpirun_name(start, node);
    if (host.ranks().empty())
      for (uint32_t i = 0; i < host.num_ranks(); ++i) host_of.at(host.first_rank() + i) = name;
    for (const uint32_t rank : host.ranks()) host_of.at(rank) = name;
  }
  std::string text;
  for (const std::string& host : host_of) text += host + "\n";
  return text;
}

std::vector<std::string> mpirun_argv(const std::string& mpirun, const control::StartGeneration& start,
                                     const std::string& hostfile, const std::string& dsagent) {
  return {mpirun, "--hostfile", hostfile, "--map-by", "seq", "--oversubscribe", "--bind-to", "none",
          "-np", std::to_string(start.world_size()), dsagent, "--mpirun-rank"};
}

std::string mpirun_socket(const std::string& run_folder) { return run_folder + "/mpirun"; }

static void set_both(Environment& environment, const std::string& parameter, const std::string& value) {
  for (const char* prefix : {"OMPI_MCA_", "PRTE_MCA_"}) environment[prefix + parameter] = value;
}

static void bound(Environment& environment, const DaemonNetwork& network) {
  if (!network.networks.include.empty()) set_both(environment, "oob_tcp_if_include", network.networks.include);
  else if (!network.networks.exclude.empty()) set_both(environment, "oob_tcp_if_exclude", network.networks.exclude);
  if (network.ports.size() < kPortsOfDaemon) return;
  set_both(environment, "oob_tcp_dynamic_ipv4_ports", std::to_string(network.ports[0]));
  set_both(environment, "oob_tcp_dynamic_ipv6_ports", std::to_string(network.ports[1]));
  for (const char* framework : {"PMIX_MCA_ptl_tcp_ipv4_port", "PMIX_MCA_ptl_base_ipv4_port"})
    environment[framework] = std::to_string(network.ports[2]);
}

Environment mpirun_environment(Environment inherited, const std::string& run_folder, const std::string& dsagent,
                               const DaemonNetwork& network) {
  std::erase_if(inherited, [](const auto& variable) {
    return starts_with_any(variable.first, {"PMIX_", "PMI_", "PRTE_", "OMPI_", "SLURM_", "SLURMD_", "PBS_", "LSB_"});
  });
  bound(inherited, network);
  inherited[kMpirunSocket] = mpirun_socket(run_folder);
  inherited["TMPDIR"] = run_folder;
  inherited["OMPI_ALLOW_RUN_AS_ROOT"] = inherited["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  inherited["PRTE_ALLOW_RUN_AS_ROOT"] = inherited["PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  const std::string login = dsagent + " --mpirun-login";
  for (const char* name : {"OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent"}) inherited[name] = login;
  for (const char* name : {"OMPI_MCA_plm", "PRTE_MCA_plm"}) inherited[name] = *name == 'O' ? "rsh" : "ssh";
  for (const char* name : {"OMPI_MCA_plm_rsh_no_tree_spawn", "PRTE_MCA_plm_ssh_no_tree_spawn"}) inherited[name] = "1";
  return inherited;
}

void take_wiring(Environment& rank, const Environment& stand_in) {
  for (const auto& [name, value] : stand_in) {
    if (name.starts_with("OMPI_MCA_")) rank.emplace(name, value);
    else if (name.starts_with("PMIX_MCA_ptl_")) continue;  // where its server listens
    else if (starts_with_any(name, {"PMIX_", "PMI_", "OMPI_", "PRTE_"})) rank[name] = value;
  }
}

}  // namespace ds
