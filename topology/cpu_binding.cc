#include "topology/cpu_binding.h"

#include <algorithm>
#include <map>

#include "topology/base/error.h"

namespace ds {
namespace {

using Cpus = std::vector<int>;
using Binding = std::vector<Cpus>;

// A core with the places it belongs to.
struct Core {
  int cpu = 0, numa = 0, socket = 0;
};

std::vector<Core> cores_of(const Host& host) {
  std::vector<Core> cores(host.cores.size());
  for (size_t i = 0; i < cores.size(); ++i) {
    cores[i].cpu = host.cores[i];
    if (i < host.numa_of_core.size()) cores[i].numa = host.numa_of_core[i];
    if (i < host.socket_of_core.size()) cores[i].socket = host.socket_of_core[i];
  }
  return cores;
}

std::vector<Core> usable_cores(const Host& host, const Cpus& cpu_list) {
  const std::vector<Core> all = cores_of(host);
  if (cpu_list.empty() || all.empty()) return all;
  std::vector<Core> chosen;
  for (int cpu : cpu_list) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Core& core) { return core.cpu == cpu; });
    if (found == all.end())
      throw Error(ErrorCode::kUsage, "cpu list: host " + host.name + " has no usable core with CPU " + std::to_string(cpu));
    chosen.push_back(*found);
  }
  return chosen;
}

// The cores of each place, places ascending, cores in their order.
std::vector<std::vector<Core>> by_place(const std::vector<Core>& cores, int Core::* place) {
  std::map<int, std::vector<Core>> groups;
  for (const Core& core : cores) groups[core.*place].push_back(core);
  std::vector<std::vector<Core>> result;
  for (auto& [number, group] : groups) result.push_back(std::move(group));
  return result;
}

// One core per rank, going over places; fewer than num_local when the cores do not suffice.
std::vector<Core> one_core_each(const std::vector<Core>& cores, size_t num_local, CoreOrder order) {
  std::vector<std::vector<Core>> places{cores};
  if (order == CoreOrder::kSockets) places = by_place(cores, &Core::socket);
  if (order == CoreOrder::kNumas) places = by_place(cores, &Core::numa);
  std::vector<Core> chosen;
  for (size_t rank = 0; rank < num_local; ++rank) {
    const std::vector<Core>& place = places[rank % places.size()];
    const size_t index = rank / places.size();
    if (index >= place.size()) break;
    chosen.push_back(place[index]);
  }
  return chosen;
}

Cpus sorted(Cpus cpus) {
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

Cpus cpus_around(const Core& core, const std::vector<Core>& cores, BindTo bind_to) {
  Cpus cpus;
  for (const Core& other : cores) {
    const bool together = bind_to == BindTo::kCore     ? other.cpu == core.cpu
                          : bind_to == BindTo::kSocket ? other.socket == core.socket
                                                       : other.numa == core.numa;
    if (together) cpus.push_back(other.cpu);
  }
  return sorted(std::move(cpus));
}

// Consecutive cores of one NUMA node for each rank, as many as all ranks can have.
Binding share(const std::vector<Core>& cores, size_t num_local) {
  const auto nodes = by_place(cores, &Core::numa);
  size_t each = cores.size() / num_local;
  const auto places = [&] {
    size_t sum = 0;
    for (const auto& node : nodes) sum += node.size() / each;
    return sum;
  };
  while (each > 1 && places() < num_local) --each;
  Binding binding;
  for (const auto& node : nodes)
    for (size_t first = 0; first + each <= node.size() && binding.size() < num_local; first += each) {
      Cpus cpus;
      for (size_t i = first; i < first + each; ++i) cpus.push_back(node[i].cpu);
      binding.push_back(sorted(std::move(cpus)));
    }
  return binding;
}

// A way over the hardware that was asked for also says what a rank is bound to.
BindTo default_bind_to(int num_ranks, CoreOrder order) {
  switch (order) {
    case CoreOrder::kCores: return BindTo::kCore;
    case CoreOrder::kSockets: return BindTo::kSocket;
    case CoreOrder::kNumas: return BindTo::kNuma;
    case CoreOrder::kDefault: break;
  }
  return num_ranks <= 2 ? BindTo::kCore : BindTo::kSocket;
}

Cpus all_cpus(const std::vector<Core>& cores) {
  Cpus cpus;
  for (const Core& core : cores) cpus.push_back(core.cpu);
  return sorted(std::move(cpus));
}

const char* name_of(BindTo bind_to) {
  return bind_to == BindTo::kCore ? "core" : bind_to == BindTo::kSocket ? "socket" : "numa";
}

}  // namespace

BindTo bind_to_named(const std::string& name) {
  if (name == "none") return BindTo::kNone;
  if (name == "core") return BindTo::kCore;
  if (name == "socket" || name == "package") return BindTo::kSocket;
  if (name == "numa") return BindTo::kNuma;
  throw Error(ErrorCode::kUsage, "--bind-to: '" + name + "': must be none, core, socket or numa");
}

Binding bind_ranks(const Host& host, int num_local, int num_ranks, bool oversubscribed, const BindingOptions& options) {
  const size_t count = static_cast<size_t>(std::max(num_local, 0));
  const Binding unbound(count);
  const std::vector<Core> cores = usable_cores(host, options.cpu_list);
  const bool may_stay_unbound = options.bind_to == BindTo::kDefault || options.bind_to == BindTo::kShare;
  if (count == 0 || cores.empty() || options.bind_to == BindTo::kNone || (may_stay_unbound && oversubscribed)) return unbound;
  if (options.bind_to == BindTo::kShare) return cores.size() < count ? unbound : share(cores, count);

  if (may_stay_unbound && !options.cpu_list.empty()) return Binding(count, all_cpus(cores));

  CoreOrder order = options.order;
  if (order == CoreOrder::kDefault) order = num_ranks <= 2 ? CoreOrder::kCores : CoreOrder::kSockets;
  const BindTo bind_to = may_stay_unbound ? default_bind_to(num_ranks, options.order) : options.bind_to;
  const std::vector<Core> chosen = one_core_each(cores, count, order);
  if (chosen.size() < count && may_stay_unbound) return unbound;
  if (chosen.size() < count)
    throw Error(ErrorCode::kUsage, std::string("--bind-to ") + name_of(bind_to) + ": host " + host.name + ": " +
                                       std::to_string(count) + " ranks, " + std::to_string(cores.size()) +
                                       " cores: start fewer ranks or use --bind-to none");
  Binding binding;
  for (const Core& core : chosen) binding.push_back(cpus_around(core, cores, bind_to));
  return binding;
}

}  // namespace ds
