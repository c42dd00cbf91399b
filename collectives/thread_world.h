// Several ranks as threads of one process, for tests and tools: the same algorithms as over MPI, no MPI needed.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "collectives/communicator.h"

namespace ds {

// Communicator r is rank r; each is used by one thread at a time, different ones by different threads.
std::vector<std::unique_ptr<Communicator>> thread_world(int size, const CommunicatorOptions& options = {});

// Calls `body` once per rank, each in its own thread, and waits for all. When a rank throws, the others stop waiting
// for it at once; then the first exception is thrown here.
void run_thread_world(int size, const std::function<void(Communicator& world)>& body,
                      const CommunicatorOptions& options = {});

}  // namespace ds
