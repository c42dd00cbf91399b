// A driver library with two GPUs, of which the second does not tell its UUID. Tests open it in place of NVML.
#include <cstdio>

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  static char devices[2];
  *device = &devices[index];
  return index == 0 ? 0 : 15;
}
int nvmlDeviceGetUUID(void*, char* uuid, unsigned length) {
  std::snprintf(uuid, length, "GPU-8932f937");
  return 0;
}
}
