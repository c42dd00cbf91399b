#include "topology/axis_orders.h"

#include <algorithm>
#include <numeric>

namespace ds {
namespace {

constexpr std::array<Axis, kNumAxes> kFromNearToFar{Axis::kTensor, Axis::kSequence, Axis::kContext,
                                                    Axis::kExpert, Axis::kPipeline, Axis::kData};

std::vector<int> chained(const PlacementScorer& scorer, std::vector<int> order) {
  const auto host = [&](int place) { return scorer.places()[static_cast<size_t>(place)].host; };
  for (size_t i = 1; i < order.size(); ++i) {
    size_t best = i;
    for (size_t j = i + 1; j < order.size() && host(order[j]) == host(order[i - 1]); ++j)
      if (scorer.bandwidth(order[i - 1], order[j]) > scorer.bandwidth(order[i - 1], order[best])) best = j;
    if (host(order[i]) == host(order[i - 1]))
      std::rotate(order.begin() + static_cast<std::ptrdiff_t>(i), order.begin() + static_cast<std::ptrdiff_t>(best),
                  order.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  return order;
}

}  // namespace

std::vector<std::vector<Axis>> nesting_orders(const ProcessMesh& mesh) {
  std::vector<size_t> wide;  // indices into kFromNearToFar, so that permutations come in a fixed order
  for (size_t i = 0; i < kFromNearToFar.size(); ++i)
    if (mesh.size(kFromNearToFar[i]) > 1) wide.push_back(i);
  std::vector<std::vector<Axis>> orders;
  do {
    orders.emplace_back();
    for (const size_t i : wide) orders.back().push_back(kFromNearToFar[i]);
  } while (std::next_permutation(wide.begin(), wide.end()));
  return orders;
}

std::vector<int> nested(const ProcessMesh& mesh, const std::vector<Axis>& nesting, const std::vector<int>& order) {
  std::vector<int> place_of_rank(order.size());
  for (size_t position = 0; position < order.size(); ++position) {
    Coordinates at{};
    auto left = static_cast<int>(position);
    for (const Axis axis : nesting) {
      at[static_cast<size_t>(axis)] = left % mesh.size(axis);
      left /= mesh.size(axis);
    }
    place_of_rank[static_cast<size_t>(mesh.rank(at))] = order[position];
  }
  return place_of_rank;
}

std::vector<std::vector<int>> place_orders(const PlacementScorer& scorer) {
  std::vector<int> as_they_are(scorer.places().size());
  std::iota(as_they_are.begin(), as_they_are.end(), 0);
  const std::vector<int> near = order_by_nearness(scorer.places());
  std::vector<std::vector<int>> orders;
  for (std::vector<int> order : {near, as_they_are, chained(scorer, near)})
    if (std::find(orders.begin(), orders.end(), order) == orders.end()) orders.push_back(std::move(order));
  return orders;
}

}  // namespace ds
