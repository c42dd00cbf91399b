// libtorch's CUDA half, opened at run time: the same program runs with a CPU and with a CUDA libtorch.
#pragma once

#include <string>

namespace ds {

// Opens libtorch_cuda.so beside the libtorch_cpu.so in use. Returns why CUDA tensors cannot be made, "" when they can.
std::string load_torch_cuda();

}  // namespace ds
