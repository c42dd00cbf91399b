// What is known about a host: how it is reached, how many ranks it takes, what hardware it has. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ds {

inline constexpr int kMaxSlots = 65535;  // of one host; larger numbers are typing errors

struct Host {
  std::string name{};                    // as the user wrote it; never replaced by a reverse lookup
  std::optional<int> slots{};            // ranks it takes; nullopt = only the host can tell (its cores or GPUs)
  std::optional<int> max_slots{};        // bound even when oversubscribed
  std::vector<int> slot_ids{};           // which of its slots a filter left, ascending; empty = 0 ... slots-1
  int port = 0;                          // of sshd; 0 = as ssh is configured
  std::string user{};                    // login name; empty = as ssh is configured
  std::vector<std::string> addresses{};  // numeric, global ones only, no loopback
  std::vector<int> cores{};              // one logical CPU per usable physical core, ascending; empty = unknown
  std::vector<std::vector<int>> threads_of_core{};  // usable logical CPUs of cores[i], that one first; empty = one each
  std::vector<int> numa_of_core{};       // NUMA node of cores[i]; empty = unknown, taken as one node
  std::vector<int> socket_of_core{};     // package of cores[i]; empty = unknown, taken as one package
  std::vector<std::string> gpus{};       // visible ones as CUDA_VISIBLE_DEVICES names them (index, GPU-..., MIG-...)
  uint64_t memory_bytes = 0;             // usable by this job; 0 = unknown

  bool operator==(const Host&) const = default;
};

// Hardware and addresses from `described`; name, slots, port and user stay as the user gave them.
void take_hardware(Host& host, const Host& described);

struct Cluster {
  std::vector<Host> hosts{};  // in the order of the source; ranks are placed in this order

  bool operator==(const Cluster&) const = default;
};

}  // namespace ds
