// A CUDA module without a GPU: the table of cuda/module.h over host memory and threads that play ranks. Streams are
// queues that move when somebody asks for an event; communicators hang, as NCCL's do, when ranks disagree or do not
// come; calls are in progress for a while before they are through.
#pragma once

#include "cuda/loader.h"

namespace ds::fake_cuda {

const DsCudaModule& table();
CudaSupport support(int num_devices = 8);

// From now on every communicator of more than one rank reports an asynchronous error.
void break_network(bool broken);
int num_aborted();        // communicators aborted since the start of the process
int num_alive();          // communicators, streams, events and memory that were not given back
// Null pointers to the fake count as host memory; all else as device memory, unless it was named here.
void set_host_memory(const void* begin, const void* end);

}  // namespace ds::fake_cuda
