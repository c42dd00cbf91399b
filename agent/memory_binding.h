// Where the memory of a rank comes from: NUMA nodes of the cores it is bound to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ds {

enum class MemoryPolicy : uint32_t {
  kAnywhere,  // as the system does it, and as mpirun leaves it: where it is touched first
  kNear,      // from the node of its cores while there is some, else from others; ranks whose cores lie in one node
  kOnly,      // from nodes of its cores or not at all
};

// As the kernel takes it.
struct MemoryBinding {
  int mode = 0;  // of set_mempolicy; 0 = leave it
  std::vector<unsigned long> nodes{};
};

// `nodes` = those of the rank's cores; none leaves everything as it is.
MemoryBinding memory_binding(MemoryPolicy policy, const std::vector<int>& nodes);

// NUMA nodes of logical CPUs, ascending, as the kernel numbers them; `root` is replaced in tests.
std::vector<int> numa_nodes_of(const std::vector<uint32_t>& cpus, const std::string& root = "/sys");

// For the calling thread and all it starts. A kernel or a container that does not allow it leaves everything as it is.
// May be called between fork and exec.
void bind_memory(const MemoryBinding& binding);

}  // namespace ds
