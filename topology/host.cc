#include "topology/host.h"

namespace ds {

void take_hardware(Host& host, const Host& described) {
  host.addresses = described.addresses;
  host.cores = described.cores;
  host.threads_of_core = described.threads_of_core;
  host.numa_of_core = described.numa_of_core;
  host.socket_of_core = described.socket_of_core;
  host.gpus = described.gpus;
  host.memory_bytes = described.memory_bytes;
}

}  // namespace ds
