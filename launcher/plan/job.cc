#include "launcher/plan/job.h"

#include <algorithm>
#include <filesystem>

#include "hostfiles/slurm_step.h"
#include "launcher/elastic/elastic_policy.h"
#include "launcher/plan/ancestors.h"
#include "launcher/plan/device_check.h"
#include "launcher/plan/host_filters.h"
#include "launcher/plan/job_identity.h"
#include "launcher/options/launch_section.h"
#include "launcher/plan/local_machine.h"
#include "launcher/plan/mesh_plan.h"
#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/discover_hwloc.h"
#include "topology/topology_file.h"

namespace ds {
namespace {

namespace fs = std::filesystem;

std::vector<std::pair<std::string, std::string>> overrides_of(const Options& options) {
  std::vector<std::pair<std::string, std::string>> overrides = options.overrides;
  if (!options.output.empty()) overrides.emplace_back("job.output", options.output);
  if (!options.job_name.empty()) overrides.emplace_back("job.name", options.job_name);
  return overrides;
}

std::string job_name_of(const Options& options) {
  if (!options.job_name.empty()) return options.job_name;
  if (options.training() || options.programs.empty() || options.programs[0].argv.empty()) return "job";
  return fs::path(options.programs[0].argv[0]).filename();
}

void resolve_settings(Job& job) {
  if (!job.training() || !job.plan.placed) return;
  if (job.plan.world_size < 1) throw Error(ErrorCode::kUsage, "a training job needs at least one rank: -np=0");
  job.settings = resolve(*job.config, job.plan.world_size);
  check_device(job.settings->device, job.plan);
  job.output = job.settings->output;
  const ProcessMesh mesh(job.settings->parallel, job.settings->mesh_order);
  const AxisBytes bytes = num_wide_axes(mesh) > 1 ? training_axis_bytes(*job.settings) : AxisBytes{};
  place_on_mesh(job.plan, job.options, job.hosts.cluster, job.local, mesh, bytes);
}

void check_stdin(const Job& job) {
  std::optional<int64_t> reader = parse_int(job.options.stdin_target);
  if (job.plan.placed && job.plan.world_size > 0 && reader && *reader >= job.plan.world_size)
    throw Error(ErrorCode::kUsage, "--stdin=" + job.options.stdin_target + ": the job has ranks 0 to " +
                                       std::to_string(job.plan.world_size - 1));
}

// --timeout 0 is no limit; MPIEXEC_TIMEOUT stands for --timeout, as with mpirun.
void take_time_limit(Options& options, const std::map<std::string, std::string>& environment) {
  if (options.timeout_seconds == 0) return options.timeout_seconds.reset();
  const auto limit = environment.find("MPIEXEC_TIMEOUT");
  if (options.timeout_seconds || options.training() || limit == environment.end() || limit->second.empty()) return;
  options.timeout_seconds = parse_double(limit->second);
  if (!options.timeout_seconds || *options.timeout_seconds <= 0)
    throw Error(ErrorCode::kUsage, "MPIEXEC_TIMEOUT=" + limit->second + ": must be seconds, more than 0");
}

// Ranks of two names of one machine would be bound to the same cores.
void check_one_name(const Job& job) {
  std::vector<std::string> names;
  for (size_t host = 0; host < job.local.size(); ++host)
    if (job.local[host]) names.push_back(job.hosts.cluster.hosts[host].name);
  if (names.size() > 1)
    throw Error(ErrorCode::kUsage, job.hosts.source + ": " + join(names, " and ") +
                                       " are all this machine: name it once, with slots for all its ranks");
}

std::string absolute_path(const std::string& option, const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error)
    throw Error(ErrorCode::kUsage, option + ": where is " + path + "? The working directory: " + error.message());
  return absolute.lexically_normal();
}

}  // namespace

Job prepare_job(Options options) {
  std::error_code no_place;
  if (fs::current_path(no_place).empty() || no_place)
    options.notes.push_back("the working directory is gone (" + no_place.message() + "): ranks start in $HOME");
  Job job;
  job.environment = without_stale_step(environment_map(), titles_of_ancestors());
  job.folder = program_folder();
  if (options.training()) {
    job.config = load_train_config(options.config, overrides_of(options));
    options = parse_options(options.arguments, launch_section_words(*job.config), job.environment);
    job.name = job.config->text("job.name", fs::path(options.config).stem());
  } else {
    job.name = job_name_of(options);
    if (!options.output.empty()) job.output = absolute_path("output", options.output);
  }
  Host this_machine = discover_host();
  if (!options.rankfile.empty()) job.rankfile = parse_rankfile(read_file(options.rankfile), options.rankfile);
  job.hosts = hosts_from(options, job.environment, this_machine, job.rankfile);
  std::vector<LocalAddress> addresses = local_addresses();
  for (Host& host : job.hosts.cluster.hosts) {
    job.local.push_back(is_this_machine(host.name, addresses));
    if (job.local.back()) take_hardware(host, this_machine);
  }
  if (const std::string& file = options.topology_file; !file.empty())
    job.hosts.cluster = with_hardware(job.hosts.cluster, parse_topology(read_file(file), file));
  take_time_limit(options, job.environment);
  check_one_name(job);
  if (job.rankfile) name_hosts(*job.rankfile, job.hosts.cluster);
  job.options = std::move(options);
  job.id = new_job_id(job.name);
  job.key = new_job_key();
  job.elastic = elastic_policy(job);
  if (job.elastic.restarts && job.training()) job.fingerprint = fingerprint_of(job);
  complete_plan(job);
  return job;
}

void complete_plan(Job& job) {
  check_slots_on_trust(job.hosts, job.options);
  fill_slots(job.hosts.cluster, job.training(), job.options.threads_are_cpus);
  job.plan = plan_launch(job.options, job.hosts.cluster, job.hosts.source, job.local,
                         job.rankfile ? &*job.rankfile : nullptr);
  check_stdin(job);
  resolve_settings(job);
  if (const std::optional<ProcessMesh> mesh = mesh_of(job.options))
    place_on_mesh(job.plan, job.options, job.hosts.cluster, job.local, *mesh, program_axis_bytes(job.options, *mesh));
}

void drop_unused_hosts(Job& job) {
  if (!job.plan.placed || job.elastic.restarts) return;  // a host without ranks may replace one that fails
  Cluster used;
  std::vector<bool> local;
  for (size_t host = 0; host < job.plan.hosts.size(); ++host) {
    if (job.plan.slots_used[host] == 0) continue;
    used.hosts.push_back(job.hosts.cluster.hosts[host]);
    local.push_back(job.local[host]);
  }
  if (used.hosts.size() == job.plan.hosts.size()) return;
  job.hosts.cluster = std::move(used);
  job.local = std::move(local);
  complete_plan(job);
}

}  // namespace ds
