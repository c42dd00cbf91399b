// Functions that g++ compiles for the CPU tests and nvcc for the kernels: one text, so that both have the same bits.
// C++17, no standard library that device code lacks.
#pragma once

#ifdef __CUDACC__
#define DS_HOST_DEVICE __host__ __device__ inline
#else
#define DS_HOST_DEVICE inline
#endif
