#include "launcher/plan/host_filters.h"

#include <algorithm>
#include <set>

#include "hostfiles/filter.h"
#include "launcher/options/options.h"
#include "launcher/plan/hosts_from.h"
#include "launcher/plan/local_machine.h"
#include "topology/base/error.h"
#include "topology/placement.h"

namespace ds {
namespace {

bool filters(const Options& options) {
  return !options.include.empty() || !options.exclude.empty() || options.num_nodes || options.num_gpus;
}

// A program's slots are cores, but --num_gpus means devices where there are any.
std::optional<int> slots_by_hardware(const Host& host, const Options& options) {
  Cluster alone{{host}};
  alone.hosts[0].slots.reset();
  fill_slots(alone, options.training(), options.threads_are_cpus);
  std::optional<int> slots = alone.hosts[0].slots;
  if (slots && options.num_gpus) slots = std::max(*slots, static_cast<int>(host.gpus.size()));
  return slots;
}

void count_slots_here(const Options& options, const Host& this_machine, Cluster& cluster) {
  if (!options.topology_file.empty()) return;  // it may describe this machine as another one
  const std::vector<LocalAddress> addresses = local_addresses();
  for (Host& host : cluster.hosts)
    if (!host.slots && (host.name == this_machine.name || is_this_machine(host.name, addresses)))
      host.slots = slots_by_hardware(this_machine, options);
}

OtherName names_of_this_machine(const Cluster& cluster) {
  return [&cluster, addresses = local_addresses()](const std::string& name) -> std::optional<size_t> {
    if (!is_this_machine(name, addresses)) return std::nullopt;
    for (size_t host = 0; host < cluster.hosts.size(); ++host)
      if (is_this_machine(cluster.hosts[host].name, addresses)) return host;
    return std::nullopt;
  };
}

std::set<std::string> hosts_of_unknown_slots(const Cluster& cluster) {
  std::set<std::string> names;
  for (const Host& host : cluster.hosts)
    if (!host.slots) names.insert(host.name);
  return names;
}

}  // namespace

void apply_filters(const Options& options, const Host& this_machine, HostSource& hosts) {
  if (!filters(options)) return;
  count_slots_here(options, this_machine, hosts.cluster);
  const Cluster all = hosts.cluster;
  hosts.cluster = filter_hosts(all, options.include, options.exclude, names_of_this_machine(all));
  if (options.num_nodes) hosts.cluster = first_hosts(hosts.cluster, *options.num_nodes);
  if (options.num_gpus) hosts.cluster = first_slots(hosts.cluster, *options.num_gpus);
  const std::set<std::string> unknown = hosts_of_unknown_slots(all);
  for (const Host& host : hosts.cluster.hosts)
    if (host.slots && unknown.contains(host.name)) hosts.on_trust.insert(host.name);
}

void check_slots_on_trust(const HostSource& hosts, const Options& options) {
  const std::string option = options.num_gpus ? "--num_gpus" : "--include";
  std::vector<std::string> problems;
  for (const Host& host : hosts.cluster.hosts) {
    if (!hosts.on_trust.contains(host.name)) continue;
    const std::optional<int> have = slots_by_hardware(host, options);
    const int last = host.slot_ids.empty() ? *host.slots - 1 : host.slot_ids.back();
    if (have && last >= *have)
      problems.push_back(option + ": host " + host.name + " has no slot " + std::to_string(last) + ": it has " +
                         std::to_string(*have));
  }
  throw_if_any("", problems);
}

}  // namespace ds
