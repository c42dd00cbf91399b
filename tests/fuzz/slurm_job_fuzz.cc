// One text as what Slurm tells of a job: variables (a line each), the title of a slurmstepd, what scontrol prints.
#include <algorithm>
#include <map>
#include <string>

#include "hostfiles/slurm_allocation.h"
#include "hostfiles/slurm_gpus.h"
#include "hostfiles/slurm_step.h"
#include "tests/fuzz/expect.h"
#include "topology/base/text.h"

namespace ds::fuzz {
namespace {

std::map<std::string, std::string> variables_of(std::string_view text) {
  std::map<std::string, std::string> variables;
  for (const std::string& line : split(std::string(text), '\n'))
    if (const size_t equals = line.find('='); equals != std::string::npos)
      variables[line.substr(0, equals)] = line.substr(equals + 1);
  return variables;
}

void check_allocation(const std::map<std::string, std::string>& variables) {
  const auto cluster = answer_of([&] { return slurm_allocation(variables); });
  if (!cluster) return;
  require(!cluster->hosts.empty(), "an allocation has a host");
  for (const Host& host : cluster->hosts) require(host.slots.value_or(0) >= 0, "no host has fewer than no slots");
  if (!has_slurm_allocation(variables)) return;
  const auto nodes = answer_of([&] { return slurm_nodes(variables); });
  const bool in_step = std::any_of(variables.begin(), variables.end(),
                                   [](const auto& variable) { return variable.first.starts_with("SLURM_STEP"); });
  if (nodes && !in_step) require(nodes->names.size() == cluster->hosts.size(), "without a step the job is all nodes");
}

void check_step(const std::map<std::string, std::string>& variables, const std::string& title) {
  if (const auto step = slurm_step_of_title(title)) require(!step->job.empty() && !step->step.empty(), "a step has names");
  const auto left = without_stale_step(variables, {"bash", title});
  require(left.size() <= variables.size(), "variables are only taken away");
  for (const auto& [name, value] : variables)
    if (!name.starts_with("SLURM_STEP")) require(left.contains(name) && left.at(name) == value, "others are kept");
}

void check_gpus(const std::map<std::string, std::string>& variables, const std::string& text) {
  gpus_may_differ(variables);
  if (const auto gpus = answer_of([&] { return gpus_by_node(text); }))
    for (const auto& [node, count] : *gpus) require(!node.empty() && count >= 0 && count <= kMaxSlots, "a count is one of GPUs");
}

}  // namespace
}  // namespace ds::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(ds::fuzz::text_of(data, size));
  const auto variables = ds::fuzz::variables_of(text);
  ds::fuzz::check_allocation(variables);
  ds::fuzz::check_step(variables, text.substr(0, text.find('\n')));
  ds::fuzz::check_gpus(variables, text);
  return 0;
}
