#include "topology/cpu_sharing.h"

#include <algorithm>

namespace ds {

std::vector<std::vector<int>> share_cores(const std::vector<Cpu>& cpus, size_t num_local) {
  std::vector<std::vector<std::vector<Cpu>>> nodes;  // node, core, threads
  for (const std::vector<Cpu>& node : places_of(cpus, Level::kNuma)) nodes.push_back(places_of(node, Level::kCore));
  size_t each = places_of(cpus, Level::kCore).size() / num_local;
  const auto shares = [&] {
    size_t sum = 0;
    for (const auto& node : nodes) sum += node.size() / each;
    return sum;
  };
  while (each > 1 && shares() < num_local) --each;
  std::vector<std::vector<int>> binding;
  for (const auto& node : nodes)
    for (size_t first = 0; first + each <= node.size() && binding.size() < num_local; first += each) {
      std::vector<int> share;
      for (size_t i = first; i < first + each; ++i)
        for (const Cpu& cpu : node[i]) share.push_back(cpu.id);
      std::sort(share.begin(), share.end());
      binding.push_back(std::move(share));
    }
  return binding;
}

}  // namespace ds
