// A driver library with three GPUs: the first and the last are joined by two NVLinks, the second tells nothing of itself.
// Tests open it in place of NVML.
#include <cstdio>

static const char* const kUuids[] = {"GPU-8932f937", "", "GPU-8a"};
static const char* const kAddresses[] = {"00000000:3B:00.0", "", "00000000:3C:00.0"};
static char devices[3];

static long number_of(const void* device) { return static_cast<const char*>(device) - devices; }

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 3;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &devices[index];
  return index == 1 ? 15 : 0;
}
int nvmlDeviceGetUUID(void* device, char* uuid, unsigned length) {
  std::snprintf(uuid, length, "%s", kUuids[number_of(device)]);
  return 0;
}
struct PciInfo {
  char bus_id_legacy[16];
  unsigned numbers[5];
  char bus_id[32];
};
int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* pci) {
  std::snprintf(pci->bus_id, sizeof pci->bus_id, "%s", kAddresses[number_of(device)]);
  return 0;
}
int nvmlDeviceGetNvLinkState(void*, unsigned link, unsigned* active) {
  *active = link < 2;
  return link < 4 ? 0 : 3;
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void* device, unsigned, PciInfo* pci) {
  std::snprintf(pci->bus_id, sizeof pci->bus_id, "%s", kAddresses[2 - number_of(device)]);
  return 0;
}
}
