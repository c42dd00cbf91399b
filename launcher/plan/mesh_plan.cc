#include "launcher/plan/mesh_plan.h"

#include <algorithm>
#include <cstdio>

#include "engine/config/model_config.h"
#include "engine/config/settings.h"
#include "launcher/options/options.h"
#include "topology/base/text.h"

namespace ds {
namespace {

// The option by which the user said where ranks go; "" = none did.
std::string asked_by(const Options& options) {
  if (!options.rankfile.empty()) return "rankfile " + options.rankfile;
  if (!options.map_by.empty()) return "--map-by " + options.map_by;
  if (!options.rank_by.empty()) return "--rank-by " + options.rank_by;
  if (options.npernode) return "-N " + std::to_string(*options.npernode);
  return options.programs.size() > 1 ? "programs in the order of the command line" : "";
}

Distance farthest(const AxisScore& axis) {
  Distance far = Distance::kDevice;
  for (const Distance distance : kAllDistances)
    if (axis.bytes[index_of(distance)] > 0) far = distance;
  return far;
}

const AxisScore* find_axis(const PlacementScore& score, Axis axis) {
  for (const AxisScore& one : score.axes)
    if (one.axis == axis) return &one;
  return nullptr;
}

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

std::vector<std::string> reasons_of(const MeshReport& report, bool moved, const std::string& asked) {
  std::vector<std::string> reasons;
  for (const AxisScore& axis : report.score.axes) {
    std::string reason = long_name(axis.axis) + " reaches as far as " + name_of(farthest(axis));
    const AxisScore* before = find_axis(report.by_slot, axis.axis);
    if (before && farthest(*before) != farthest(axis)) reason += " (by slot: " + name_of(farthest(*before)) + ")";
    reasons.push_back(reason + ", about " + number_text(axis.seconds) + " s a step");
  }
  const std::string seconds =
      number_text(report.score.seconds) + " s a step, by slot " + number_text(report.by_slot.seconds) + " s";
  if (!asked.empty()) reasons.push_back("ranks stay where " + asked + " puts them: " + seconds);
  else
    reasons.push_back(
        (moved ? "chosen because it is estimated to be faster: " : "no other placement is estimated to be faster: ") +
        seconds);
  return reasons;
}

// A program takes GPU i as local rank i; where slots have another order than local ranks, its ranks see the GPUs in that order.
void show_gpus_by_local_rank(const Cluster& cluster, std::vector<RankPlace>& ranks) {
  for (size_t host = 0; host < cluster.hosts.size(); ++host) {
    const std::vector<std::string>& gpus = cluster.hosts[host].gpus;
    std::vector<std::string> order;
    for (const RankPlace& rank : ranks)
      if (rank.host == host && static_cast<size_t>(rank.slot) < gpus.size())
        order.push_back(gpus[static_cast<size_t>(rank.slot)]);
    for (const std::string& gpu : gpus)
      if (std::find(order.begin(), order.end(), gpu) == order.end()) order.push_back(gpu);
    if (order == gpus) continue;
    for (RankPlace& rank : ranks)
      if (rank.host == host) rank.gpus = order;
  }
}

std::string gigabytes(double bytes) { return bytes > 0 ? number_text(bytes / 1e9) : "-"; }

void pad(std::string& text, size_t width) { text.append(text.size() < width ? width - text.size() : 1, ' '); }

std::string score_row(const std::string& name, const DistanceBytes& bytes, double seconds) {
  std::string row = "  " + name;
  pad(row, 14);
  for (const Distance distance : kAllDistances) {
    std::string cell = gigabytes(bytes[index_of(distance)]);
    pad(cell, 9);
    row += cell;
  }
  return row + number_text(seconds) + "\n";
}

}  // namespace

std::optional<ProcessMesh> mesh_of(const Options& options) {
  if (options.mesh.empty()) return std::nullopt;
  if (options.programs.size() < 2) return parse_mesh(options.mesh, options.np);
  int total = 0;
  for (const ProgramOptions& program : options.programs) total += program.np.value_or(0);
  return parse_mesh(options.mesh, total);
}

AxisBytes program_axis_bytes(const Options& options, const ProcessMesh& mesh) {
  const AxisBytes reference = axis_bytes(mesh.dims(), {});
  return options.mesh_bytes.empty() ? reference : parse_axis_bytes(options.mesh_bytes, reference);
}

AxisBytes training_axis_bytes(const Settings& settings) {
  const ModelConfig model = load_model_config(settings.model_folder);
  ModelShape shape{.layers = model.num_layers, .hidden = model.hidden_size, .sequence = settings.data.sequence_length};
  shape.micro_batch = std::max<int64_t>(1, settings.batch.micro);
  shape.microbatches = std::max<int64_t>(1, settings.batch.accumulation);
  shape.element_bytes = settings.precision == Precision::kFloat32 ? 4 : 2;
  shape.zero_stage = settings.zero.stage;
  return axis_bytes(settings.parallel, shape);
}

void place_on_mesh(LaunchPlan& plan, const Options& options, const Cluster& cluster, const std::vector<bool>& local,
                   const ProcessMesh& mesh, const AxisBytes& bytes) {
  plan.groups = groups_of(mesh);
  if (!plan.placed || num_wide_axes(mesh) < 2) return;
  const std::string asked = asked_by(options);
  PlacementOptions placement = placement_options(options, local);
  placement.num_ranks = mesh.world_size();
  MeshReport report{.how = "as asked: " + asked, .score = {}, .by_slot = {}, .reasons = {}};
  bool moved = false;
  if (asked.empty()) {
    AxisPlacement chosen = place_axes(cluster, placement, mesh, bytes);
    plan.ranks = std::move(chosen.places);
    if (!placement.gpu_per_rank) show_gpus_by_local_rank(cluster, plan.ranks);
    plan.slots_used = local_sizes(cluster, plan.ranks);
    report = {.how = chosen.how, .score = std::move(chosen.score), .by_slot = std::move(chosen.by_slot), .reasons = {}};
    moved = chosen.moved;
  } else {
    report.score = score_places(cluster, plan.ranks, mesh, bytes);
    PlacementOptions by_slot{.num_ranks = placement.num_ranks, .oversubscribe = true, .without = placement.without};
    by_slot.binding.bind_to = options.training() || options.share_cores ? BindTo::kShare : BindTo::kDefault;
    report.by_slot = score_places(cluster, place_ranks(cluster, by_slot), mesh, bytes);
  }
  report.reasons = reasons_of(report, moved, asked);
  plan.mesh = std::move(report);
}

std::string mesh_text(const MeshReport& report) {
  std::string text = "placement: " + report.how + "\n";
  for (const std::string& reason : report.reasons) text += "  " + reason + "\n";
  std::string head = "  GB a step";
  pad(head, 14);
  for (const Distance distance : kAllDistances) {
    std::string name = name_of(distance);
    pad(name, 9);
    head += name;
  }
  text += head + "seconds\n";
  for (const AxisScore& axis : report.score.axes) text += score_row(long_name(axis.axis), axis.bytes, axis.seconds);
  return text + score_row("all", report.score.bytes(), report.score.seconds) +
         score_row("by slot", report.by_slot.bytes(), report.by_slot.seconds);
}

}  // namespace ds
