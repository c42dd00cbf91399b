// Collectives of CUDA tensors over NCCL, behind the same face. Which hosts can is found out at run time (cuda/loader.h).
#pragma once

#include <memory>

#include "collectives/communicator.h"
#include "cuda/loader.h"

namespace ds {

// The ranks of `bootstrap`, a group over MPI, threads or of one rank, as a group over NCCL; `device` is the CUDA device
// of this rank, which becomes the thread's current one. Tensors in host memory still travel as `bootstrap`'s do.
// Collective. Throws kUnavailable on all ranks, naming one and the reason, when any of them has no NCCL or no device.
std::unique_ptr<Communicator> nccl_communicator(Communicator& bootstrap, const CudaSupport& cuda, int device);

}  // namespace ds
