#include "launcher/plan/generation_setup.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "launcher/output/console.h"
#include "launcher/plan/job.h"
#include "launcher/plan/local_machine.h"
#include "launcher/plan/rank_exports.h"
#include "launcher/reach/resident_files.h"

namespace ds {
namespace {

constexpr const char* kConfigName = "train.cfg";
constexpr const char* kEngineConfigName = "ds_config.json";

std::string folder_there(const Job& job) {
  return job.options.prefix.empty() ? job.folder : job.options.prefix + "/bin";
}

bool all_local(const Job& job) {
  return std::all_of(job.local.begin(), job.local.end(), [](bool local) { return local; });
}

// Rank 0's host, as other ranks can reach it.
std::string master_address(const Job& job) {
  if (!job.options.master_addr.empty()) return job.options.master_addr;
  size_t first = job.plan.ranks.empty() ? 0 : job.plan.ranks[0].host;
  if (job.plan.hosts.size() == 1) return "127.0.0.1";
  const Host& host = job.plan.hosts[first];
  return host.addresses.empty() ? host.name : host.addresses[0];
}

std::vector<std::string> variables_for_all(const Job& job) {
  std::vector<std::string> env = common_exports(job.environment);
  env.push_back("MASTER_ADDR=" + master_address(job));
  env.push_back("MASTER_PORT=" + std::to_string(job.options.master_port.value_or(job.meeting_port)));
  return env;
}

void add_training(const Job& job, StartRequest& request, std::vector<std::string>& warnings) {
  request.argv = {{folder_there(job) + "/dsengine", std::string("{run}/") + kConfigName}};
  request.program_env = {resolve_exports(job.options.exports, job.environment, warnings)};
  request.program_wdir = {job.options.wdir};
  request.files = {{kConfigName, job.config->resolved_text(kEngineConfigName)},
                   {kEngineConfigName, job.config->ds_config_text}};
}

MemoryPolicy memory_policy(const Options& options) {
  const bool near = options.bind_memory.empty() ? options.training() : options.bind_memory == "near";
  if (near) return MemoryPolicy::kNear;
  return options.bind_memory == "only" ? MemoryPolicy::kOnly : MemoryPolicy::kAnywhere;
}

}  // namespace

FleetOptions fleet_options(const Job& job) {
  FleetOptions options;
  options.job = job.id;
  options.key = job.key;
  options.hosts = job.hosts.cluster.hosts;
  options.local = job.local;
  options.slurm = job.hosts.slurm;
  options.ssh = job.options.ssh;
  options.agent_here = job.folder + "/dsagent";
  options.agent_there = folder_there(job) + "/dsagent";
  options.ports = job.options.ports;
  options.start = job.options.start;
  if (job.elastic.restarts) options.start.fan_out = 0;  // a lost host must not take those along that it started
  options.outlives_launcher = !job.fingerprint.empty();
  options.follows = job.after.has_value();
  if (job.after && job.after->resumes) options.own_port = job.after->port;
  if (!options.slurm) options.residents = residents_of(resident_folder(), options.hosts, options.agent_there);
  if (!all_local(job)) options.addresses = published_addresses(local_addresses(), job.options.interface);
  return options;
}

RankOutputOptions output_options(const Job& job, const std::string& log_folder, const Console& console) {
  RankOutputOptions options;
  options.format = {job.options.tag_output, job.options.timestamp_output, console.options().out_colours,
                    console.options().colours};
  options.leaves_out = job.training();
  options.show = !job.training() || job.options.tag_output;
  options.show_notes = job.training();
  options.log_folder = log_folder;
  options.rank_log_folder = job.options.rank_log_folder;
  options.mpirun_folder = job.options.output_filename;
  if (size_t colon = options.mpirun_folder.rfind(":nocopy");
      colon != std::string::npos && colon + 7 == options.mpirun_folder.size()) {
    options.mpirun_folder.resize(colon);
    options.show = false;
  }
  options.merge_stderr = job.options.merge_stderr;
  options.world_size = job.plan.world_size;
  return options;
}

ProgressStyle progress_style_of(const Job& job) {
  return job.training() ? progress_style(job.options.progress, ::isatty(STDOUT_FILENO)) : ProgressStyle::kNone;
}

std::vector<std::string> paths_to_check(const Job& job) {
  std::vector<std::string> paths = {job.settings->output, job.settings->model_folder};
  const FileSettings& data = job.settings->data;
  paths.insert(paths.end(), data.train.begin(), data.train.end());
  paths.insert(paths.end(), data.valid.begin(), data.valid.end());
  if (job.settings->checkpoint.resume.starts_with("/")) paths.push_back(job.settings->checkpoint.resume);
  return paths;
}

StartRequest start_request(const Job& job, int generation, std::vector<std::string>& warnings) {
  StartRequest request;
  request.job = job.id;
  request.generation = generation;
  request.training = job.training();
  request.memory = memory_policy(job.options);
  request.merge_stderr = job.options.merge_stderr;
  request.wireup = job.options.wireup;
  request.interface = job.options.interface;
  std::error_code error;
  request.launcher_cwd = std::filesystem::current_path(error);
  request.env = variables_for_all(job);
  request.mca = mpi_parameters(job.options, job.environment);
  if (job.training()) {
    add_training(job, request, warnings);
    return request;
  }
  for (const ProgramOptions& program : job.options.programs) {
    request.argv.push_back(program.argv);
    request.program_env.push_back(resolve_exports(program.exports, job.environment, warnings));
    request.program_wdir.push_back(program.wdir);
  }
  request.stdin_target = job.options.stdin_target;
  const bool plain = !job.options.tag_output && !job.options.timestamp_output;  // a prefix belongs to a whole line
  request.unfinished_lines = plain && (job.plan.world_size == 1 || isatty(STDIN_FILENO));
  return request;
}

}  // namespace ds
