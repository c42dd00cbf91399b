// Which network devices of its host are near a rank, and the hints about them for UCX and NCCL. Pure.
#pragma once

#include <string>
#include <vector>

#include "topology/host.h"
#include "topology/placement.h"

namespace ds {

// Indices into host.nics, of the NICs that are nearest to a device on this PCIe switch and NUMA node (-1 = not known):
// those on the same switch, else those on the same node, else all. RDMA devices, where the host has any.
std::vector<size_t> nearest_nics(const Host& host, int pci_switch, int numa);

// The RDMA devices, with port, that a rank at this place should use: "mlx5_1:1". Empty when there is no choice: fewer than
// two, all as near, or nobody knows which GPU the rank uses. Ethernet interfaces are never chosen among: they may be in
// networks that do not see each other.
std::vector<std::string> chosen_nics(const Host& host, const RankPlace& place);

// The same as a variable: "UCX_NET_DEVICES=mlx5_1:1".
std::vector<std::string> nic_hints(const Host& host, const RankPlace& place);

// For all ranks of a job the same, as NCCL needs it (it finds the near ones of them itself): "NCCL_IB_HCA==mlx5_0:1,mlx5_1:1"
// (the second "=" asks for exactly these), the devices that any rank should use. Empty when a rank has no choice, a
// host lacks one of them, or no host has others.
std::vector<std::string> nccl_hints(const std::vector<Host>& hosts, const std::vector<RankPlace>& places);

}  // namespace ds
