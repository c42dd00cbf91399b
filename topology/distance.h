// Where a rank is in the cluster, how far two ranks are from each other, and what their way carries. Pure.
#pragma once

#include <optional>
#include <vector>

#include "topology/host.h"
#include "topology/placement.h"

namespace ds {

// Numbers that compare equal where two ranks share something; -1 = not known, which is shared with nobody.
struct Location {
  int host = 0, slot = 0;
  int rack = 0, leaf = 0;      // network: rack and switch of the host, numbered over the cluster
  int rail = -1, nic = -1;     // of the nearest NIC; nic is an index into Host::nics
  int gpu = -1;                // index into Host::gpus
  int core = -1;               // index into Host::cores, of a rank bound to that core alone
  int socket = -1, numa = -1;  // that hold all of the rank: of its GPU, else of its cores
  int pci_switch = -1;
  std::vector<int> caches{};   // for each of Host::caches: the one that all its cores share
};

// Where on its host: all but the network numbers.
Location locate_on(const Host& host, const RankPlace& place);

// Reads the cluster once, then locates places. A host that tells no NUMA nodes or sockets has one; a rank that is not bound
// and has no GPU is somewhere on its host.
class Locator {
 public:
  explicit Locator(const Cluster& cluster);  // borrowed
  Location locate(const RankPlace& place) const;

 private:
  const Cluster& cluster_;
  std::vector<int> rack_of_host_, leaf_of_host_;
};

Distance distance_between(const Cluster& cluster, const Location& a, const Location& b);

// Of one pair alone, in GB/s, one direction. The file's number for the distance wins; else within a host the default or the
// links there are, and between hosts the slower of both NICs times the share of that distance.
double bandwidth_between(const Cluster& cluster, const Location& a, const Location& b);

// Of the NIC the location uses, in GB/s; shared by all ranks that use it. Unknown: what the file says of NICs, else of
// pairs at one switch, else the default.
double nic_bandwidth(const Cluster& cluster, const Location& at);

}  // namespace ds
