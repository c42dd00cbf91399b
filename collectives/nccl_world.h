// Collectives of CUDA tensors over NCCL, behind the same face. A build has one of two files: the backend or no_nccl.cc.
#pragma once

#include <memory>

#include "collectives/communicator.h"

namespace ds {

bool nccl_is_built_in();

// The ranks of `bootstrap` as a group over NCCL; `device` is the CUDA device of this rank. Collective. Throws
// kUnavailable in a build without NCCL.
std::unique_ptr<Communicator> nccl_communicator(Communicator& bootstrap, int device);

}  // namespace ds
