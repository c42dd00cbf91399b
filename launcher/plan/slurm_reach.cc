#include "launcher/plan/slurm_reach.h"

#include <algorithm>
#include <optional>

#include "hostfiles/host_name.h"
#include "hostfiles/slurm_allocation.h"
#include "launcher/options/options.h"
#include "launcher/plan/hosts_from.h"
#include "launcher/plan/local_machine.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using Names = std::vector<std::string>;

bool has_login(const Host& host) { return host.port != 0 || !host.user.empty(); }

// "node2" and "node2.cluster" are one host, "node2.a" and "node2.b" are not.
bool same_host(const std::string& name, const std::string& node) {
  const std::string one = host_identity(name), other = host_identity(node);
  return one == other || one.starts_with(other + ".") || other.starts_with(one + ".");
}

std::optional<std::string> node_named(const std::string& name, const Names& nodes) {
  const auto exact = std::find(nodes.begin(), nodes.end(), name);
  if (exact != nodes.end()) return *exact;
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) { return same_host(name, node); });
  return found == nodes.end() ? std::nullopt : std::optional(*found);
}

[[noreturn]] void refuse(const HostSource& hosts, const std::string& problem) {
  throw Error(ErrorCode::kUsage, hosts.source + ": " + problem);
}

}  // namespace

void choose_reach(const Options& options, const std::map<std::string, std::string>& environment, HostSource& hosts) {
  std::vector<Host>& all = hosts.cluster.hosts;
  if (hosts.slurm || !has_slurm_allocation(environment) || options.by_ssh) return;
  if (std::any_of(all.begin(), all.end(), has_login)) return;
  const SlurmNodes allocation = slurm_nodes(environment);
  const std::vector<LocalAddress> addresses = local_addresses();
  Names outside;
  std::map<std::string, std::string> named;  // by node
  for (Host& host : all) {
    const std::optional<std::string> node = node_named(host.name, allocation.names);
    if (!node) {
      if (!is_this_machine(host.name, addresses)) outside.push_back(host.name);
      continue;
    }
    const auto [first, added] = named.emplace(*node, host.name);
    if (!added)
      refuse(hosts,
             first->second + " and " + host.name + " are one machine: name it once, with slots for all its ranks");
    if (*node != host.name) host.node = *node;
  }
  if (!outside.empty())
    refuse(hosts,
           join(outside, ", ") + ": not in the allocation of SLURM job " + allocation.job + " (" + allocation.list +
               "): leave out what is not, name nodes as Slurm does, or give --ssh ssh to start there without Slurm");
  hosts.slurm = true;
}

}  // namespace ds
