// How far apart two ranks can be, and what each distance carries per second: defaults, and what a topology file says instead.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ds {

// From near to far. Within a host: one device (a GPU, a core) | a link that the two have for themselves (NVLink, a PCIe
// switch, a cache) | a NUMA node | a socket | the host. Between hosts: one network switch | another switch of the same
// rack | another rack.
enum class Distance { kDevice, kLink, kNuma, kSocket, kHost, kSwitch, kRack, kFabric };
inline constexpr size_t kNumDistances = 8;
inline constexpr std::array<Distance, kNumDistances> kAllDistances{
    Distance::kDevice, Distance::kLink,   Distance::kNuma, Distance::kSocket,
    Distance::kHost,   Distance::kSwitch, Distance::kRack, Distance::kFabric};

// "device", "link", "numa", "socket", "host", "switch", "rack", "fabric".
std::string name_of(Distance distance);

inline constexpr size_t index_of(Distance distance) { return static_cast<size_t>(distance); }
inline constexpr bool within_host(Distance distance) { return distance <= Distance::kHost; }

// All in GB/s (1e9 bytes), one direction, for one pair of ranks; not given = the default.
struct Fabric {
  std::array<std::optional<double>, kNumDistances> bandwidth{};
  std::optional<double> nvlink{};  // of one NVLink
  std::optional<double> nic{};     // of a NIC whose speed is not known

  bool operator==(const Fabric&) const = default;
};

// What pairs reach within a host when nothing better is known: 100, 25, 20, 18, 15. Between hosts a pair reaches the
// speed of its NICs times this share: 1, 0.75, 0.5 (networks are rarely wired for all hosts talking to all).
double default_bandwidth(Distance distance);
double share_of_nic(Distance distance);
inline constexpr double kDefaultNvlink = 25.0;
inline constexpr double kDefaultNic = 12.5;  // 100 Gb/s

}  // namespace ds
