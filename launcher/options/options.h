// What a person typed, as values: options of dslaunch with their types checked. Reads no file but --app's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/reach/start_schedule.h"

namespace ds {

enum class Command { kLaunch, kAgents, kStatus, kStop, kResize, kLogs, kHelp, kVersion };

// One program of a job ("a : b" has two). A training job has none.
struct ProgramOptions {
  std::vector<std::string> argv;
  std::optional<int> np;
  std::vector<std::string> exports;  // "VAR" or "VAR=value"
  std::string wdir, host_list, hostfile;
};

struct Options {
  Command command = Command::kLaunch;

  std::vector<ProgramOptions> programs;
  std::string config;  // train.cfg; "" = programs
  std::vector<std::pair<std::string, std::string>> overrides;
  bool training() const { return !config.empty(); }
  bool programs_have_hosts() const;  // one after the first ":" names hosts of its own

  // Ranks and hosts. np of a training job is programs-independent.
  std::optional<int> np, npernode, num_nodes, num_gpus;
  std::string host_list, hostfile, default_hostfile, include, exclude;
  bool nolocal = false;

  // Placement.
  bool oversubscribe = false, report_bindings = false, share_cores = false, threads_are_cpus = false;
  std::optional<int> cpus_per_rank;
  std::string rankfile, map_by, rank_by, bind_to, cpu_list, mesh, mesh_bytes;
  std::string bind_memory;  // none, near, only; "" = near for training jobs

  // Environment of the ranks.
  std::vector<std::string> exports;  // of all programs and of training ranks
  std::vector<std::pair<std::string, std::string>> mca;
  std::string wdir, master_addr, wireup = "pmix";
  std::optional<int> master_port;

  // Output.
  bool tag_output = false, timestamp_output = false, merge_stderr = false, quiet = false, verbose = false;
  std::string output_filename, rank_log_folder, stdin_target = "0", progress = "auto", color = "auto";

  // Job.
  std::optional<double> timeout_seconds, grace_seconds;
  bool stack_traces = false, state_on_timeout = false;  // what a passed time limit tells first
  std::string job_name, output, report_pid;

  // Going on after failures.
  bool elastic = false;
  std::optional<int> min_ranks, max_restarts, min_elastic_nodes, max_elastic_nodes;

  bool dry_run = false, json = false, display_map = false, display_allocation = false;

  // Reaching hosts.
  StartLimits start;
  bool by_ssh = false;  // --ssh was given, which holds inside a Slurm allocation too
  std::string ssh = "ssh", prefix, interface, topology_file;
  std::optional<std::pair<int, int>> ports;

  // Subcommands.
  std::string job;
  bool checkpoint = false, follow = false;
  std::optional<int> rank;

  std::vector<std::string> arguments;  // as they were parsed
  std::vector<std::string> notes;      // for stderr: "-np given twice, 4 counts"
};

// `arguments` without the program's name. `defaults`: options of a [launch] section, which hold unless the arguments
// give the same option, another host list, or another filter. Parameters of Open MPI that mean an option hold where it
// is not given: those of --mca before `defaults`, OMPI_MCA_* of `environment` last. Throws one kUsage Error that lists
// every problem.
Options parse_options(const std::vector<std::string>& arguments, const std::vector<std::string>& defaults = {},
                      const std::map<std::string, std::string>& environment = {});

}  // namespace ds
