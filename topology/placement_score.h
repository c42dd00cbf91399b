// What a way to place the ranks of a mesh costs: bytes over each distance, and an estimate of the seconds. Pure.
//
// An axis takes as long as its slowest rank, which sends to its partners one after the other at the bandwidth of each pair,
// or as long as the busiest NIC, which all ranks near it share. Axes follow each other. Latency and overlap with compute
// are left out: they hardly depend on who sits where.
#pragma once

#include <array>
#include <vector>

#include "topology/axis_traffic.h"
#include "topology/distance.h"

namespace ds {

using DistanceBytes = std::array<double, kNumDistances>;  // sent in a step by all ranks together, by Distance

struct AxisScore {
  Axis axis = Axis::kData;
  DistanceBytes bytes{};
  double seconds = 0;
};

struct PlacementScore {
  std::vector<AxisScore> axes{};
  double seconds = 0;       // of all axes
  double pair_seconds = 0;  // of all pairs, one after the other: decides between placements of equal seconds

  DistanceBytes bytes() const;
  bool better_than(const PlacementScore& other) const;  // by more than rounding
};

// Scores assignments of ranks to the same places.
class PlacementScorer {
 public:
  PlacementScorer(const Cluster& cluster, std::vector<Location> places,
                  const std::vector<Traffic>& traffic);  // borrowed

  // `place_of_rank`: indices into the places.
  PlacementScore score(const std::vector<int>& place_of_rank) const;

  const std::vector<Location>& places() const { return places_; }
  double bandwidth(int a, int b) const;  // GB/s, of two places

 private:
  class AxisSum;
  Distance distance(int a, int b) const;

  const Cluster& cluster_;
  std::vector<Location> places_;
  const std::vector<Traffic>& traffic_;
  std::vector<int> nearness_;         // of a place: its number when all are sorted from near to near
  std::vector<int> nic_of_place_;     // numbered over the cluster
  std::vector<double> nic_bandwidth_;  // by that number
  std::vector<double> bandwidths_;    // of all pairs, and their distances; empty when there are too many
  std::vector<Distance> distances_;
};

// Places from near to near: racks, switches, hosts, sockets, NUMA nodes, PCIe switches, caches, slots.
std::vector<int> order_by_nearness(const std::vector<Location>& places);

}  // namespace ds
