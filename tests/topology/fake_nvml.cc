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
struct PciInfo {
  char bus_id_legacy[16];
  unsigned numbers[5];
  char bus_id[32];
};
int nvmlDeviceGetPciInfo_v3(void*, PciInfo* pci) {
  std::snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:3B:00.0");
  return 0;
}
int nvmlDeviceGetNvLinkState(void*, unsigned link, unsigned* active) {
  *active = link < 2;
  return link < 4 ? 0 : 3;
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void*, unsigned, PciInfo* pci) {
  std::snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:3C:00.0");
  return 0;
}
}
