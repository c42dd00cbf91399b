// Lets the contract, whose tensors are in host memory, try a communicator of device memory: every tensor is copied to
// the device before an operation and back when it is waited for.
#pragma once

#include <memory>

#include "collectives/communicator.h"
#include "cuda/loader.h"

namespace ds::contract {

std::unique_ptr<Communicator> staged(std::unique_ptr<Communicator> inner, std::shared_ptr<const CudaModule> module);

}  // namespace ds::contract
