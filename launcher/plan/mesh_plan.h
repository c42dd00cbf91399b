// A mesh of parallel axes in the plan: its groups, and ranks placed where the axes cost least. Pure.
#pragma once

#include <optional>
#include <vector>

#include "launcher/plan/launch_plan.h"
#include "topology/axis_traffic.h"

namespace ds {

struct Options;
struct Settings;

// --mesh for as many ranks as -np says, where it is given; nullopt without --mesh. Throws kUsage.
std::optional<ProcessMesh> mesh_of(const Options& options);

// --mesh-bytes over those of the reference model.
AxisBytes program_axis_bytes(const Options& options, const ProcessMesh& mesh);

// Of the job's own model and batch.
AxisBytes training_axis_bytes(const Settings& settings);

// Adds groups to a placed plan and, when more than one axis has several members, the report. Moves ranks when that is
// estimated to be faster and the user did not say himself where ranks go (--map-by, --rank-by, -N, a rankfile, programs
// "a : b"). `cluster` and `local` as for plan_launch.
void place_on_mesh(LaunchPlan& plan, const Options& options, const Cluster& cluster, const std::vector<bool>& local,
                   const ProcessMesh& mesh, const AxisBytes& bytes);

// The report as lines for people.
std::string mesh_text(const MeshReport& report);

}  // namespace ds
