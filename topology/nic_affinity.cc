#include "topology/nic_affinity.h"

#include <algorithm>
#include <set>

#include "topology/base/text.h"
#include "topology/distance.h"

namespace ds {

std::vector<size_t> nearest_nics(const Host& host, int pci_switch, int numa) {
  const bool any_rdma = std::any_of(host.nics.begin(), host.nics.end(), [](const Nic& nic) { return nic.rdma; });
  std::vector<size_t> all, on_node, on_switch;
  for (size_t i = 0; i < host.nics.size(); ++i) {
    const Nic& nic = host.nics[i];
    if (nic.rdma != any_rdma) continue;
    all.push_back(i);
    if (numa >= 0 && nic.numa == numa) on_node.push_back(i);
    if (pci_switch >= 0 && nic.pci_switch == pci_switch) on_switch.push_back(i);
  }
  if (!on_switch.empty()) return on_switch;
  return on_node.empty() ? all : on_node;
}

std::vector<std::string> chosen_nics(const Host& host, const RankPlace& place) {
  const auto num_rdma =
      static_cast<size_t>(std::count_if(host.nics.begin(), host.nics.end(), [](const Nic& nic) { return nic.rdma; }));
  if (num_rdma < 2 || (!host.gpus.empty() && place.gpus.size() != 1)) return {};
  const Location at = locate_on(host, place);
  const std::vector<size_t> near = nearest_nics(host, at.pci_switch, at.numa);
  if (near.size() == num_rdma) return {};
  std::vector<std::string> names;
  for (const size_t nic : near) names.push_back(host.nics[nic].name + ":1");
  return names;
}

std::vector<std::string> nic_hints(const Host& host, const RankPlace& place) {
  const std::string names = join(chosen_nics(host, place), ",");
  if (names.empty()) return {};
  return {"UCX_NET_DEVICES=" + names};
}

std::vector<std::string> nccl_hints(const std::vector<Host>& hosts, const std::vector<RankPlace>& places) {
  std::set<std::string> wanted;
  std::set<size_t> used;
  for (const RankPlace& place : places) {
    const std::vector<std::string> chosen = chosen_nics(hosts[place.host], place);
    if (chosen.empty()) return {};
    wanted.insert(chosen.begin(), chosen.end());
    used.insert(place.host);
  }
  bool any_others = false;
  for (const size_t host : used) {
    std::set<std::string> there;
    for (const Nic& nic : hosts[host].nics)
      if (nic.rdma) there.insert(nic.name + ":1");
    if (!std::includes(there.begin(), there.end(), wanted.begin(), wanted.end())) return {};
    any_others |= there.size() > wanted.size();
  }
  if (!any_others) return {};
  return {"NCCL_IB_HCA==" + join({wanted.begin(), wanted.end()}, ",")};
}

}  // namespace ds
