// libtorch's CUDA half, opened at run time: the same program runs with a CPU and with a CUDA libtorch.
#pragma once

#include <string>

namespace ds {

// Opens libtorch_cuda.so beside the libtorch_cpu.so in use. Returns why CUDA tensors cannot be made, "" when they can.
std::string load_torch_cuda();

// On a GPU: libtorch takes algorithms whose sums have a fixed order where it has them, and warns once where not. Before the first
// operation there.
void compute_repeatably();

}  // namespace ds
