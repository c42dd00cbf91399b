// What is known about a host: how it is reached, how many ranks it takes, what hardware it has. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/fabric.h"

namespace ds {

inline constexpr int kMaxSlots = 65535;  // of one host; larger numbers are typing errors

struct CacheLevel {
  int level = 0;                    // 2, 3, ...
  uint64_t bytes = 0;               // of one cache; 0 = unknown
  std::vector<int> of_core{};       // which cache of this level cores[i] has

  bool operator==(const CacheLevel&) const = default;
};

struct Nic {
  std::string name{};               // as UCX and NCCL name it: "mlx5_0", "eth0"
  bool rdma = true;                 // InfiniBand or RoCE; false = an Ethernet interface of the kernel
  std::optional<int> numa{};        // NUMA node it hangs on
  std::optional<int> pci_switch{};  // devices with the same number share a PCIe switch or root port
  std::optional<int> rail{};        // NICs of all hosts with the same number meet at one switch
  double gbits = 0;                 // per second; 0 = unknown

  bool operator==(const Nic&) const = default;
};

struct Host {
  std::string name{};                    // as the user wrote it; never replaced by a reverse lookup
  std::optional<int> slots{};            // ranks it takes; nullopt = only the host can tell (its cores or GPUs)
  std::optional<int> max_slots{};        // bound even when oversubscribed
  std::vector<int> program_slots{};      // of its slots, how many each program of "a : b" may use; empty = all
  std::vector<int> slot_ids{};           // which of its slots a filter left, ascending; empty = 0 ... slots-1
  int port = 0;                          // of sshd; 0 = as ssh is configured
  std::string node{};                    // as Slurm calls it; empty = by its name
  std::string user{};                    // login name; empty = as ssh is configured
  std::vector<std::string> addresses{};  // numeric, global ones only, no loopback
  std::vector<int> cores{};              // one logical CPU per usable physical core, ascending; empty = unknown
  std::vector<std::vector<int>> threads_of_core{};  // usable logical CPUs of cores[i], that one first; empty = one each
  std::vector<int> numa_of_core{};       // NUMA node of cores[i]; empty = unknown, taken as one node
  std::vector<int> socket_of_core{};     // package of cores[i]; empty = unknown, taken as one package
  std::vector<std::string> gpus{};       // visible ones as CUDA_VISIBLE_DEVICES names them (index, GPU-..., MIG-...)
  std::vector<int> numa_of_gpu{};        // NUMA node of gpus[i], -1 = unknown; empty = unknown
  std::vector<int> switch_of_gpu{};      // PCIe switch of gpus[i], numbered as Nic::pci_switch; -1, empty = unknown
  std::vector<std::vector<int>> nvlinks{};  // NVLinks between gpus[i] and gpus[j], symmetric; empty = none
  std::vector<CacheLevel> caches{};      // shared ones, from the inner to the outer level
  std::vector<Nic> nics{};
  std::string rack{};                    // empty = not told: all such hosts count as one rack
  std::string leaf{};                    // network switch; empty = the one of its rack
  uint64_t memory_bytes = 0;             // usable by this job; 0 = unknown

  bool operator==(const Host&) const = default;
};

// Hardware and addresses from `described`; names, slots, port and user stay as the user or Slurm gave them, and so do
// rack, switch and rails, which a host does not know of itself.
void take_hardware(Host& host, const Host& described);

struct Cluster {
  std::vector<Host> hosts{};  // in the order of the source; ranks are placed in this order
  Fabric fabric{};            // what lies between hosts and devices

  bool operator==(const Cluster&) const = default;
};

}  // namespace ds
