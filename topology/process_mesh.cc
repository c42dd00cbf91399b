#include "topology/process_mesh.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr std::array<Axis, kNumAxes> kAllAxes{Axis::kTensor, Axis::kSequence, Axis::kContext,
                                              Axis::kExpert, Axis::kData,     Axis::kPipeline};
constexpr std::array<const char*, kNumAxes> kShortNames{"tp", "sp", "cp", "ep", "dp", "pp"};
constexpr std::array<const char*, kNumAxes> kLongNames{"tensor", "sequence", "context", "expert", "data", "pipeline"};

size_t index_of(Axis axis) { return static_cast<size_t>(axis); }

bool contains(const std::vector<Axis>& axes, Axis axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

void check_order(const std::vector<Axis>& order) {
  std::vector<std::string> missing;
  for (Axis axis : kAllAxes)
    if (!contains(order, axis)) missing.push_back(short_name(axis));
  if (!missing.empty())
    throw Error(ErrorCode::kUsage, "mesh: axis missing from the order: " + join(missing, ","));
  if (order.size() != kAllAxes.size()) throw Error(ErrorCode::kUsage, "mesh: the order names an axis twice");
}

void check_dims(const ParallelDims& dims) {
  std::vector<std::string> problems;
  int64_t world = 1;
  for (Axis axis : kAllAxes) {
    const int size = dims.size(axis);
    if (size < 1)
      problems.push_back("mesh: size of an axis must be 1 or more: " + long_name(axis) + "=" + std::to_string(size));
    world = std::min<int64_t>(world * std::max(size, 1), int64_t{1} << 31);  // saturates, so that it cannot overflow
  }
  if (world > std::numeric_limits<int>::max()) problems.push_back("mesh: product of all sizes is too large");
  throw_if_any("", problems);
}

void check_inside(int value, int limit, const std::string& what) {
  if (value < 0 || value >= limit)
    throw Error(ErrorCode::kInternal, "mesh: outside the mesh: " + what + "=" + std::to_string(value) +
                                          ", must be below " + std::to_string(limit));
}

}  // namespace

std::string short_name(Axis axis) { return kShortNames[index_of(axis)]; }
std::string long_name(Axis axis) { return kLongNames[index_of(axis)]; }

int ParallelDims::size(Axis axis) const {
  return std::array{tensor, sequence, context, expert, data, pipeline}[index_of(axis)];
}

int ParallelDims::world_size() const { return tensor * sequence * context * expert * data * pipeline; }

ProcessMesh::ProcessMesh(const ParallelDims& dims, const std::vector<Axis>& order) : dims_(dims), order_(order) {
  check_dims(dims_);
  check_order(order_);
}

std::vector<Axis> ProcessMesh::default_order() { return {kAllAxes.begin(), kAllAxes.end()}; }

std::vector<Axis> ProcessMesh::parse_order(const std::string& text) {
  const std::vector<std::string> known(kShortNames.begin(), kShortNames.end());
  std::vector<Axis> order;
  for (const std::string& part : split(text, ',')) {
    const std::string name = lower(trim(part));
    const auto found = std::find_if(kAllAxes.begin(), kAllAxes.end(),
                                    [&](Axis axis) { return short_name(axis) == name || long_name(axis) == name; });
    if (found == kAllAxes.end())
      throw Error(ErrorCode::kUsage, "mesh: unknown axis in the order: '" + name + "', known: " + join(known, ","));
    order.push_back(*found);
  }
  check_order(order);
  return order;
}

int ProcessMesh::world_size() const { return dims_.world_size(); }
int ProcessMesh::size(Axis axis) const { return dims_.size(axis); }

Coordinates ProcessMesh::coordinates(int rank) const {
  check_inside(rank, world_size(), "rank");
  Coordinates at{};
  for (Axis axis : order_) {
    at[index_of(axis)] = rank % size(axis);
    rank /= size(axis);
  }
  return at;
}

int ProcessMesh::rank(const Coordinates& at) const {
  int rank = 0;
  for (auto axis = order_.rbegin(); axis != order_.rend(); ++axis) {
    check_inside(at[index_of(*axis)], size(*axis), short_name(*axis));
    rank = rank * size(*axis) + at[index_of(*axis)];
  }
  return rank;
}

std::vector<std::vector<int>> ProcessMesh::groups(const std::vector<Axis>& axes) const {
  std::vector<std::vector<int>> all;
  for (int rank = 0; rank < world_size(); ++rank) {
    const Coordinates at = coordinates(rank);
    const bool first = std::all_of(axes.begin(), axes.end(), [&](Axis axis) { return at[index_of(axis)] == 0; });
    if (first) all.push_back(group_of(rank, axes));
  }
  return all;
}

std::vector<int> ProcessMesh::group_of(int rank, const std::vector<Axis>& axes) const {
  Coordinates first = coordinates(rank);
  for (Axis axis : axes) first[index_of(axis)] = 0;
  std::vector<int> group{this->rank(first)};
  int stride = 1;
  for (Axis axis : order_) {  // fastest axis first, so the group stays ascending
    const size_t before = group.size();
    if (contains(axes, axis))
      for (int k = 1; k < size(axis); ++k)
        for (size_t i = 0; i < before; ++i) group.push_back(group[i] + k * stride);
    stride *= size(axis);
  }
  return group;
}

}  // namespace ds
