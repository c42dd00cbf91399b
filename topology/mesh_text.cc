// Meshes and volumes as people write them: "tp=8,dp=2".
#include <algorithm>

#include "topology/axis_traffic.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

struct NamedValue {
  Axis axis;
  std::string value;
};

[[noreturn]] void refuse_mesh(const std::string& option, const std::string& text, const std::string& cause) {
  throw Error(ErrorCode::kUsage, "option " + option + "=" + text + ": " + cause);
}

std::vector<NamedValue> named_values(const std::string& option, const std::string& text) {
  std::vector<NamedValue> values;
  for (const std::string& part : split(text, ',')) {
    const std::vector<std::string> sides = split(part, '=');
    const std::string name = lower(trim(sides[0]));
    const std::vector<Axis> axes = ProcessMesh::default_order();
    const auto axis = std::find_if(axes.begin(), axes.end(),
                                   [&](Axis one) { return short_name(one) == name || long_name(one) == name; });
    if (sides.size() != 2 || axis == axes.end())
      refuse_mesh(option, text, "'" + part + "': must be axis=number; axes are tp, sp, cp, ep, dp, pp");
    const bool twice =
        std::any_of(values.begin(), values.end(), [&](const NamedValue& value) { return value.axis == *axis; });
    if (twice) refuse_mesh(option, text, short_name(*axis) + " is given twice");
    values.push_back({*axis, std::string(trim(sides[1]))});
  }
  return values;
}

int& size_of(ParallelDims& dims, Axis axis) {
  switch (axis) {
    case Axis::kTensor: return dims.tensor;
    case Axis::kSequence: return dims.sequence;
    case Axis::kContext: return dims.context;
    case Axis::kExpert: return dims.expert;
    case Axis::kPipeline: return dims.pipeline;
    case Axis::kData: break;
  }
  return dims.data;
}

std::string does_not_fit(int64_t ranks, int64_t product, bool has_data) {
  const std::string there = std::to_string(ranks), made = std::to_string(product);
  if (has_data)
    return "makes " + made + " ranks, but there are " + there + ": must be " + made +
           ", or leave out dp, which then takes what is left";
  const int64_t below = ranks / product * product;
  return there + " ranks are no multiple of " + made + ": must be " +
         (below > 0 ? std::to_string(below) + " or " : "") + std::to_string(below + product) +
         ", or another multiple; dp takes what is left";
}

}  // namespace

ProcessMesh parse_mesh(const std::string& text, std::optional<int> num_ranks) {
  constexpr int64_t kMost = 1 << 20;
  ParallelDims dims;
  std::vector<Axis> order;
  int64_t product = 1;
  for (const NamedValue& named : named_values("--mesh", text)) {
    const auto size = parse_int(named.value);
    if (!size || *size < 1 || *size > kMost)
      refuse_mesh("--mesh", text, short_name(named.axis) + "=" + named.value + ": must be a whole number from 1");
    size_of(dims, named.axis) = static_cast<int>(*size);
    order.push_back(named.axis);
    product = std::min(product * *size, kMost + 1);
  }
  if (product > kMost) refuse_mesh("--mesh", text, "more than " + std::to_string(kMost) + " ranks");
  const bool has_data = std::find(order.begin(), order.end(), Axis::kData) != order.end();
  if (num_ranks && !has_data && *num_ranks > 0 && *num_ranks % product == 0)
    dims.data = *num_ranks / static_cast<int>(product);
  for (const Axis axis : ProcessMesh::default_order())
    if (std::find(order.begin(), order.end(), axis) == order.end()) order.push_back(axis);
  if (num_ranks && *num_ranks != dims.world_size())
    refuse_mesh("--mesh", text, does_not_fit(*num_ranks, product, has_data));
  return ProcessMesh(dims, order);
}

AxisBytes parse_axis_bytes(const std::string& text, AxisBytes bytes) {
  for (const NamedValue& named : named_values("--mesh-bytes", text)) {
    const auto number = parse_double(named.value);
    if (!number || !(*number >= 0) || *number > 1e18)
      refuse_mesh("--mesh-bytes", text, short_name(named.axis) + "=" + named.value + ": must be a number of bytes");
    bytes[static_cast<size_t>(named.axis)] = *number;
  }
  return bytes;
}

void check_axes_of_mesh(const std::string& bytes_text, const std::string& mesh_text) {
  std::vector<Axis> axes;
  for (const NamedValue& named : named_values("--mesh", mesh_text)) axes.push_back(named.axis);
  if (std::find(axes.begin(), axes.end(), Axis::kData) == axes.end()) axes.push_back(Axis::kData);
  std::vector<std::string> names;
  for (const Axis axis : axes) names.push_back(short_name(axis));
  for (const NamedValue& named : named_values("--mesh-bytes", bytes_text))
    if (std::find(axes.begin(), axes.end(), named.axis) == axes.end())
      refuse_mesh("--mesh-bytes", bytes_text,
                  short_name(named.axis) + " is no axis of --mesh=" + mesh_text + ": must be of " + join(names, ", "));
}

}  // namespace ds
