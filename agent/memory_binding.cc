#include "agent/memory_binding.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "topology/base/text.h"

namespace ds {

// Of <linux/mempolicy.h>, which not every system has.
static constexpr int kPreferred = 1, kBind = 2;
static constexpr size_t kBits = 8 * sizeof(unsigned long);
static constexpr int kMostNodes = 1024;

MemoryBinding memory_binding(MemoryPolicy policy, const std::vector<int>& nodes) {
  MemoryBinding binding;
  const bool one = nodes.size() == 1;
  if (policy == MemoryPolicy::kAnywhere || nodes.empty() || (policy == MemoryPolicy::kNear && !one)) return binding;
  binding.mode = policy == MemoryPolicy::kNear ? kPreferred : kBind;
  for (const int node : nodes) {
    const auto word = static_cast<size_t>(node) / kBits;
    if (binding.nodes.size() <= word) binding.nodes.resize(word + 1);
    binding.nodes[word] |= 1ul << (static_cast<size_t>(node) % kBits);
  }
  return binding;
}

std::vector<int> numa_nodes_of(const std::vector<uint32_t>& cpus, const std::string& root) {
  std::set<int> nodes;
  for (const uint32_t cpu : cpus) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(root + "/devices/system/cpu/cpu" + std::to_string(cpu), error), end;
         !error && entry != end; entry.increment(error)) {
      const std::string name = entry->path().filename();
      const auto node = name.starts_with("node") ? parse_int(name.substr(4)) : std::nullopt;
      if (node && *node >= 0 && *node < kMostNodes) nodes.insert(static_cast<int>(*node));
    }
  }
  return {nodes.begin(), nodes.end()};
}

void bind_memory(const MemoryBinding& binding) {
  if (binding.mode != 0)
    syscall(SYS_set_mempolicy, binding.mode, binding.nodes.data(), binding.nodes.size() * kBits + 1);
}

}  // namespace ds
