#include "topology/fabric.h"

namespace ds {

std::string name_of(Distance distance) {
  constexpr std::array<const char*, kNumDistances> kNames{"device", "link",   "numa", "socket",
                                                          "host",   "switch", "rack", "fabric"};
  return kNames[index_of(distance)];
}

double default_bandwidth(Distance distance) {
  constexpr std::array<double, kNumDistances> kGigabytes{100, 25, 20, 18, 15, 0, 0, 0};
  return within_host(distance) ? kGigabytes[index_of(distance)] : kDefaultNic * share_of_nic(distance);
}

double share_of_nic(Distance distance) {
  if (distance == Distance::kRack) return 0.75;
  return distance == Distance::kFabric ? 0.5 : 1.0;
}

}  // namespace ds
