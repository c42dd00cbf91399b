#include "topology/placement_score.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace ds {
namespace {

constexpr size_t kTableSize = 512;  // places of which all pairs are kept
constexpr double kGiga = 1e9;
constexpr double kRounding = 1e-9;

bool clearly_less(double a, double b) { return a < b - kRounding * std::max(a, b); }

}  // namespace

DistanceBytes PlacementScore::bytes() const {
  DistanceBytes sum{};
  for (const AxisScore& axis : axes)
    for (size_t i = 0; i < kNumDistances; ++i) sum[i] += axis.bytes[i];
  return sum;
}

bool PlacementScore::better_than(const PlacementScore& other) const {
  if (clearly_less(seconds, other.seconds)) return true;
  return !clearly_less(other.seconds, seconds) && clearly_less(pair_seconds, other.pair_seconds);
}

std::vector<int> order_by_nearness(const std::vector<Location>& places) {
  std::vector<int> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int i) {
    const Location& at = places[static_cast<size_t>(i)];
    return std::tuple(at.rack, at.leaf, at.host, at.socket, at.numa, at.pci_switch,
                      at.caches.empty() ? -1 : at.caches.back(), at.slot);
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  return order;
}

// Adds up what the ranks of one axis send.
class PlacementScorer::AxisSum {
 public:
  AxisSum(const PlacementScorer& scorer, Axis axis)
      : scorer_(scorer), of_place_(scorer.places_.size()), of_nic_(scorer.nic_bandwidth_.size()) {
    score_.axis = axis;
  }

  void send(int from, int to, double bytes) {
    const double seconds = bytes / (scorer_.bandwidth(from, to) * kGiga);
    const Distance distance = scorer_.distance(from, to);
    score_.bytes[index_of(distance)] += bytes;
    of_place_[static_cast<size_t>(from)] += seconds;
    pair_seconds_ += seconds;
    if (!within_host(distance)) of_nic_[static_cast<size_t>(scorer_.nic_of_place_[static_cast<size_t>(from)])] += bytes;
  }

  void add_to(PlacementScore& total) {
    for (const double seconds : of_place_) score_.seconds = std::max(score_.seconds, seconds);
    for (size_t nic = 0; nic < of_nic_.size(); ++nic)
      score_.seconds = std::max(score_.seconds, of_nic_[nic] / (scorer_.nic_bandwidth_[nic] * kGiga));
    total.seconds += score_.seconds;
    total.pair_seconds += pair_seconds_;
    total.axes.push_back(score_);
  }

 private:
  const PlacementScorer& scorer_;
  std::vector<double> of_place_, of_nic_;
  AxisScore score_;
  double pair_seconds_ = 0;
};

PlacementScorer::PlacementScorer(const Cluster& cluster, std::vector<Location> places,
                                 const std::vector<Traffic>& traffic)
    : cluster_(cluster), places_(std::move(places)), traffic_(traffic), nearness_(places_.size()) {
  const std::vector<int> order = order_by_nearness(places_);
  for (size_t i = 0; i < order.size(); ++i) nearness_[static_cast<size_t>(order[i])] = static_cast<int>(i);
  std::map<std::pair<int, int>, int> nics;
  for (const Location& at : places_) {
    const auto [nic, is_new] = nics.emplace(std::pair(at.host, at.nic), static_cast<int>(nics.size()));
    nic_of_place_.push_back(nic->second);
    if (is_new) nic_bandwidth_.push_back(ds::nic_bandwidth(cluster, at));
  }
  if (places_.size() > kTableSize) return;
  for (const Location& a : places_)
    for (const Location& b : places_) {
      distances_.push_back(distance_between(cluster, a, b));
      bandwidths_.push_back(bandwidth_between(cluster, a, b));
    }
}

double PlacementScorer::bandwidth(int a, int b) const {
  const auto i = static_cast<size_t>(a), j = static_cast<size_t>(b);
  return bandwidths_.empty() ? bandwidth_between(cluster_, places_[i], places_[j])
                             : bandwidths_[i * places_.size() + j];
}

Distance PlacementScorer::distance(int a, int b) const {
  const auto i = static_cast<size_t>(a), j = static_cast<size_t>(b);
  return distances_.empty() ? distance_between(cluster_, places_[i], places_[j]) : distances_[i * places_.size() + j];
}

PlacementScore PlacementScorer::score(const std::vector<int>& place_of_rank) const {
  PlacementScore total;
  std::vector<int> members;
  for (const Traffic& traffic : traffic_) {
    AxisSum sum(*this, traffic.axis);
    for (const std::vector<int>& group : traffic.groups) {
      members.clear();
      for (const int rank : group) members.push_back(place_of_rank[static_cast<size_t>(rank)]);
      const size_t n = members.size();
      if (traffic.pattern == Pattern::kRing)
        std::sort(members.begin(), members.end(),
                  [&](int a, int b) { return nearness_[static_cast<size_t>(a)] < nearness_[static_cast<size_t>(b)]; });
      for (size_t i = 0; i < n; ++i) {
        if (traffic.pattern == Pattern::kRing) sum.send(members[i], members[(i + 1) % n], traffic.bytes);
        if (traffic.pattern == Pattern::kChain && i + 1 < n) sum.send(members[i], members[i + 1], traffic.bytes);
        if (traffic.pattern == Pattern::kChain && i > 0) sum.send(members[i], members[i - 1], traffic.bytes);
        for (size_t j = 0; traffic.pattern == Pattern::kAllToAll && j < n; ++j)
          if (i != j) sum.send(members[i], members[j], traffic.bytes / static_cast<double>(n - 1));
      }
    }
    sum.add_to(total);
  }
  return total;
}

}  // namespace ds
