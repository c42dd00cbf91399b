#include "topology/axis_placement.h"

#include <algorithm>
#include <numeric>

#include "topology/axis_orders.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr size_t kExchangeUpTo = 64;  // ranks; beyond, pairs are too many
constexpr int kExchangeRounds = 6;
constexpr double kWorthIt = 0.999;    // of the seconds by slot
constexpr size_t kManyRanks = 8192;   // beyond, only one order of the axes is tried

// A program picks GPU i as local rank i; training ranks are given theirs.
std::vector<Location> locations_of(const Cluster& cluster, std::vector<RankPlace> places) {
  const Locator locator(cluster);
  std::vector<Location> result;
  for (RankPlace& place : places) {
    const std::vector<std::string>& gpus = cluster.hosts[place.host].gpus;
    const auto slot = static_cast<size_t>(place.slot);
    if (place.gpus.empty() && slot < gpus.size()) place.gpus = {gpus[slot]};
    result.push_back(locator.locate(place));
  }
  return result;
}

// How many ranks of each host: as `options` say, and whole groups of g ranks, so that none is cut in two.
std::vector<std::vector<int>> counts_to_try(const Cluster& cluster, const std::vector<RankPlace>& by_slot,
                                            const ProcessMesh& mesh, const PlacementOptions& options) {
  std::vector<std::vector<int>> all{local_sizes(cluster, by_slot)};
  const std::vector<Axis> axes = nesting_orders(mesh)[0];
  int group = 1;
  for (const Axis axis : axes) {
    group *= mesh.size(axis);
    std::vector<int> counts;
    int left = mesh.world_size();
    for (size_t host = 0; host < cluster.hosts.size(); ++host) {
      const int slots = options.without == host ? 0 : cluster.hosts[host].slots.value_or(0);
      counts.push_back(std::min(left, slots / group * group));
      left -= counts.back();
    }
    if (left == 0 && std::find(all.begin(), all.end(), counts) == all.end()) all.push_back(std::move(counts));
  }
  return all;
}

struct Candidate {
  std::vector<int> place_of_rank{};
  std::string how{};
  PlacementScore score{};
};

std::string nesting_text(const std::vector<Axis>& nesting) {
  std::vector<std::string> names;
  for (const Axis axis : nesting) names.push_back(long_name(axis));
  return join(names, " < ") + " over near places";
}

Candidate best_nested(const PlacementScorer& scorer, const ProcessMesh& mesh) {
  std::vector<std::vector<Axis>> nestings = nesting_orders(mesh);
  if (scorer.places().size() > kManyRanks) nestings.resize(1);
  Candidate best;
  for (const std::vector<int>& order : place_orders(scorer))
    for (const std::vector<Axis>& nesting : nestings) {
      Candidate next{nested(mesh, nesting, order), nesting_text(nesting), {}};
      next.score = scorer.score(next.place_of_rank);
      if (best.place_of_rank.empty() || next.score.better_than(best.score)) best = std::move(next);
    }
  return best;
}

// Exchanges two ranks wherever that helps, until nothing does.
void improve(const PlacementScorer& scorer, Candidate& candidate) {
  const size_t n = candidate.place_of_rank.size();
  bool exchanged = false, again = n <= kExchangeUpTo;
  for (int round = 0; round < kExchangeRounds && again; ++round) {
    again = false;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = i + 1; j < n; ++j) {
        std::swap(candidate.place_of_rank[i], candidate.place_of_rank[j]);
        PlacementScore score = scorer.score(candidate.place_of_rank);
        if (score.better_than(candidate.score)) {
          candidate.score = std::move(score);
          again = exchanged = true;
        } else {
          std::swap(candidate.place_of_rank[i], candidate.place_of_rank[j]);
        }
      }
  }
  if (exchanged) candidate.how += ", then pairs of ranks exchanged";
}

// Local ranks are counted in the order of ranks, whatever their slots: Open MPI's shared memory relies on it.
std::vector<RankPlace> assigned(const std::vector<RankPlace>& places, const std::vector<int>& place_of_rank,
                                size_t num_hosts) {
  std::vector<RankPlace> result;
  std::vector<int> counts(num_hosts);
  for (const int place : place_of_rank) {
    result.push_back(places[static_cast<size_t>(place)]);
    result.back().rank = static_cast<int>(result.size()) - 1;
    result.back().local_rank = counts[result.back().host]++;
  }
  return result;
}

}  // namespace

int num_wide_axes(const ProcessMesh& mesh) { return static_cast<int>(nesting_orders(mesh)[0].size()); }

PlacementScore score_places(const Cluster& cluster, const std::vector<RankPlace>& places, const ProcessMesh& mesh,
                            const AxisBytes& bytes) {
  const std::vector<Traffic> traffic = traffic_of(mesh, bytes);
  std::vector<int> itself(places.size());
  std::iota(itself.begin(), itself.end(), 0);
  return PlacementScorer(cluster, locations_of(cluster, places), traffic).score(itself);
}

AxisPlacement place_axes(const Cluster& cluster, const PlacementOptions& options, const ProcessMesh& mesh,
                         const AxisBytes& bytes) {
  AxisPlacement result{.places = place_ranks(cluster, options), .how = "by slot"};
  result.by_slot = score_places(cluster, result.places, mesh, bytes);
  result.score = result.by_slot;
  if (num_wide_axes(mesh) < 2 || result.by_slot.seconds <= 0) return result;
  const std::vector<Traffic> traffic = traffic_of(mesh, bytes);
  const std::vector<RankPlace> by_slot = result.places;
  for (const std::vector<int>& counts : counts_to_try(cluster, by_slot, mesh, options)) {
    PlacementOptions fixed = options;
    fixed.ranks_of_host = counts;
    const std::vector<RankPlace> places = place_ranks(cluster, fixed);
    const PlacementScorer scorer(cluster, locations_of(cluster, places), traffic);
    Candidate candidate = best_nested(scorer, mesh);
    improve(scorer, candidate);
    const bool worth_it = candidate.score.seconds < kWorthIt * result.by_slot.seconds;
    if (!worth_it || !candidate.score.better_than(result.score)) continue;
    result.places = assigned(places, candidate.place_of_rank, cluster.hosts.size());
    result.how = candidate.how;
    result.score = std::move(candidate.score);
    result.moved = true;
  }
  return result;
}

}  // namespace ds
