// A module of another version: what is found after half an upgrade.
#include "cuda/module.h"

extern "C" const DsCudaModule* dslaunch_cuda_module(void) {
  static DsCudaModule table = [] {
    DsCudaModule t{};
    t.version = DS_CUDA_MODULE_VERSION + 1;
    t.bytes = sizeof t;
    return t;
  }();
  return &table;
}
