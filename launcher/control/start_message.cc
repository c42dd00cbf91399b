#include "launcher/control/start_message.h"

#include <unistd.h>

#include "agent/proto/control.pb.h"
#include "launcher/output/output_credit.h"
#include "topology/base/text.h"
#include "topology/nic_affinity.h"

namespace ds {
namespace {

void add_hosts(const LaunchPlan& plan, const std::vector<std::vector<int>>& ranks_of_host,
               control::StartGeneration& start) {
  for (int host : nodes_of(plan)) {
    control::HostSpec& spec = *start.add_hosts();
    spec.set_name(plan.hosts[host].name);
    for (const std::string& address : plan.hosts[host].addresses) spec.add_addresses(address);
    for (int rank : ranks_of_host[host]) spec.add_ranks(static_cast<uint32_t>(rank));
    spec.set_first_rank(spec.ranks(0));
    spec.set_num_ranks(static_cast<uint32_t>(spec.ranks_size()));
  }
}

void add_rank(const LaunchPlan& plan, const StartRequest& request, const RankPlace& place,
              const std::vector<std::string>& nccl_hints, control::StartGeneration& start) {
  size_t program = static_cast<size_t>(plan.program_of[place.rank]);
  control::RankSpec& spec = *start.add_ranks();
  spec.set_rank(place.rank);
  spec.set_host_index(static_cast<uint32_t>(place.host));
  spec.set_local_rank(place.local_rank);
  spec.set_app(static_cast<uint32_t>(program));
  for (const std::string& word : request.argv[program]) spec.add_argv(word);
  if (!place.gpus.empty()) spec.add_env("CUDA_VISIBLE_DEVICES=" + join(place.gpus, ","));
  for (const std::string& variable : request.program_env[program]) spec.add_env(variable);
  if (!place.gpus.empty()) spec.add_hints("CUDA_DEVICE_ORDER=PCI_BUS_ID");  // the order in which hosts tell their GPUs
  for (const std::string& hint : nic_hints(plan.hosts[place.host], place)) spec.add_hints(hint);
  for (const std::string& hint : nccl_hints) spec.add_hints(hint);
  spec.set_wdir(request.program_wdir[program]);
  spec.set_wdir_given(!request.program_wdir[program].empty());
  for (int cpu : place.cpus) spec.add_cpus(static_cast<uint32_t>(cpu));
  spec.set_num_cores(static_cast<uint32_t>(cores_touched(plan.hosts[place.host], place.cpus).size()));
}

int stdin_rank(const StartRequest& request) {
  if (request.stdin_target == "none") return -1;
  if (request.stdin_target == "all") return -2;
  return static_cast<int>(parse_int(request.stdin_target).value_or(-1));
}

void add_first_ranks(const LaunchPlan& plan, control::StartGeneration& start) {
  for (size_t rank = 0; rank < plan.program_of.size(); ++rank)
    if (rank == 0 || plan.program_of[rank] != plan.program_of[rank - 1])
      start.add_first_ranks_of_apps(static_cast<uint32_t>(rank));
}

}  // namespace

std::vector<int> nodes_of(const LaunchPlan& plan) {
  std::vector<int> nodes;
  std::vector<bool> seen(plan.hosts.size());
  for (const RankPlace& place : plan.ranks) {
    if (!seen[place.host]) nodes.push_back(static_cast<int>(place.host));
    seen[place.host] = true;
  }
  return nodes;
}

StartMessages::StartMessages(const LaunchPlan& plan, const StartRequest& request)
    : plan_(plan),
      request_(request),
      ranks_of_host_(plan.hosts.size()),
      nccl_hints_(nccl_hints(plan.hosts, plan.ranks)) {
  for (const RankPlace& place : plan.ranks) ranks_of_host_[place.host].push_back(place.rank);
  control::Envelope message;
  control::StartGeneration& start = *message.mutable_start();
  start.set_generation(request.generation);
  start.set_name_space(request.job + "-" + std::to_string(::getpid()) + "-" + std::to_string(request.generation));
  add_hosts(plan, ranks_of_host_, start);
  start.set_world_size(plan.world_size);
  start.set_wireup(request.wireup);
  for (const std::string& variable : request.env) start.add_env(variable);
  for (const std::string& parameter : request.mca) start.add_mca(parameter);
  start.set_launcher_cwd(request.launcher_cwd);
  start.set_interface(request.interface);
  for (const auto& [name, content] : request.files) {
    control::File& file = *start.add_files();
    file.set_name(name);
    file.set_content(content);
  }
  start.set_merge_stderr(request.merge_stderr);
  start.set_stdin_rank(stdin_rank(request));
  start.set_unfinished_lines(request.unfinished_lines);
  start.set_training(request.training);
  start.set_output_window(output_window_bytes(static_cast<size_t>(start.hosts_size())));
  start.set_memory_policy(static_cast<uint32_t>(request.memory));
  add_first_ranks(plan, start);
  shared_ = message.SerializeAsString();
}

// Serialised messages that follow each other are read as one, merged.
std::string StartMessages::for_host(int host) const {
  control::Envelope message;
  control::StartGeneration& start = *message.mutable_start();
  for (int rank : ranks_of_host_[host]) add_rank(plan_, request_, plan_.ranks[rank], nccl_hints_, start);
  start.set_oversubscribed(plan_.oversubscribed(static_cast<size_t>(host)));
  return shared_ + message.SerializeAsString();
}

}  // namespace ds
