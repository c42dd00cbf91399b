#include "topology/axis_traffic.h"

namespace ds {
namespace {

double& at_axis(AxisBytes& bytes, Axis axis) { return bytes[static_cast<size_t>(axis)]; }

// The part of its data that a member of a group of n does not keep.
double foreign_share(int n) { return static_cast<double>(n - 1) / n; }

std::vector<Axis> group_axes(Axis axis) {
  if (axis != Axis::kData) return {axis};
  return {Axis::kData, Axis::kExpert, Axis::kContext, Axis::kSequence};
}

int group_size(const ProcessMesh& mesh, Axis axis) {
  int size = 1;
  for (const Axis one : group_axes(axis)) size *= mesh.size(one);
  return size;
}

Pattern pattern_of(Axis axis) {
  if (axis == Axis::kPipeline) return Pattern::kChain;
  return axis == Axis::kSequence || axis == Axis::kExpert ? Pattern::kAllToAll : Pattern::kRing;
}

}  // namespace

AxisBytes axis_bytes(const ParallelDims& dims, const ModelShape& shape) {
  const double tokens = static_cast<double>(shape.sequence * shape.micro_batch) / (dims.sequence * dims.context);
  const double activation = tokens * static_cast<double>(shape.hidden) * shape.element_bytes;
  const double layers = static_cast<double>(shape.layers) / dims.pipeline;
  const double passes = static_cast<double>(shape.microbatches);
  const double hidden = static_cast<double>(shape.hidden);
  const double parameters =
      shape.parameters > 0 ? shape.parameters : 12.0 * static_cast<double>(shape.layers) * hidden * hidden;
  const double gradients = parameters / (dims.tensor * dims.pipeline) * shape.element_bytes;
  const int replicas = dims.data * dims.expert * dims.context * dims.sequence;
  AxisBytes bytes{};
  at_axis(bytes, Axis::kTensor) = 8 * foreign_share(dims.tensor) * activation * layers * passes;
  at_axis(bytes, Axis::kSequence) = 8 * foreign_share(dims.sequence) * activation / dims.tensor * layers * passes;
  at_axis(bytes, Axis::kContext) = 6 * (dims.context - 1) * activation / dims.tensor * layers * passes;
  at_axis(bytes, Axis::kExpert) = 8 * foreign_share(dims.expert) * activation * layers * passes;
  at_axis(bytes, Axis::kPipeline) = dims.pipeline > 1 ? activation * passes : 0;
  at_axis(bytes, Axis::kData) = (shape.zero_stage == 3 ? 3 * passes : 2) * foreign_share(replicas) * gradients;
  return bytes;
}

std::vector<Traffic> traffic_of(const ProcessMesh& mesh, const AxisBytes& bytes) {
  std::vector<Traffic> all;
  for (const Axis axis :
       {Axis::kTensor, Axis::kSequence, Axis::kContext, Axis::kExpert, Axis::kPipeline, Axis::kData}) {
    const double sent = bytes[static_cast<size_t>(axis)];
    if (group_size(mesh, axis) > 1 && sent > 0)
      all.push_back({axis, pattern_of(axis), sent, mesh.groups(group_axes(axis))});
  }
  return all;
}

}  // namespace ds
