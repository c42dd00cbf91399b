#include "launcher/options/options.h"

#include <algorithm>
#include <map>

#include "launcher/plan/mesh_plan.h"
#include "launcher/options/mpirun_words.h"
#include "launcher/options/option_scan.h"
#include "launcher/options/option_sources.h"
#include "launcher/options/option_table.h"
#include "launcher/options/parameter_file.h"
#include "launcher/options/placement_parameters.h"
#include "launcher/options/start_parameters.h"
#include "launcher/options/subcommand_options.h"
#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/host.h"

namespace ds {
namespace {

constexpr int kMaxRanks = 1 << 20;
constexpr int kMaxSeconds = 1'000'000'000;

// The options of one program (or of the whole job), read by name; every wrong value becomes a problem.
class Values {
 public:
  Values(const ScannedCommand& scanned, int program, std::vector<std::string>& problems,
         std::vector<std::string>& notes)
      : problems_(problems) {
    for (const GivenOption& given : scanned.options)
      if (given.program == program || !given.spec->per_program) remember(given, notes);
  }

  bool flag(const std::string& name) const { return given_.count(name) != 0; }
  std::string text(const std::string& name, const std::string& fallback = "") const {
    auto it = given_.find(name);
    return it == given_.end() ? fallback : it->second.back()[0];
  }
  std::string list(const std::string& name) const {
    std::vector<std::string> parts;
    for (const std::vector<std::string>& one : all(name)) parts.push_back(one[0]);
    return join(parts, ",");
  }
  std::string word(const std::string& name, const std::string& fallback, const std::vector<std::string>& allowed) {
    const std::string value = lower(text(name, fallback));
    if (flag(name) && std::find(allowed.begin(), allowed.end(), value) == allowed.end())
      problem(name, text(name), "one of " + join(allowed, ", "));
    return value;
  }
  std::optional<int> integer(const std::string& name, int low, int high) {
    if (!flag(name)) return std::nullopt;
    std::optional<int64_t> value = parse_int(text(name));
    if (value && *value >= low && *value <= high) return static_cast<int>(*value);
    problem(name, text(name), "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    return std::nullopt;
  }
  std::optional<double> seconds(const std::string& name) {
    if (!flag(name)) return std::nullopt;
    std::optional<double> value = parse_double(text(name));
    if (value && *value >= 0 && *value <= kMaxSeconds) return value;
    problem(name, text(name), "seconds, 0 to " + std::to_string(kMaxSeconds));
    return std::nullopt;
  }
  std::vector<std::vector<std::string>> all(const std::string& name) const {
    auto it = given_.find(name);
    return it == given_.end() ? std::vector<std::vector<std::string>>{} : it->second;
  }
  void problem(const std::string& name, const std::string& value, const std::string& allowed) {
    const auto where = where_.find(name);
    problems_.push_back((where == where_.end() ? "" : where->second) + "option " + with_dashes(name) +
                        (value.empty() ? "" : "=" + value) + ": must be " + allowed);
  }

 private:
  void remember(const GivenOption& given, std::vector<std::string>& notes) {
    where_[given.spec->names[0]] = given.where;
    if (!given.values.empty() && given.values[0].empty())
      problems_.push_back(given.where + "option " + with_dashes(given.spec->names[0]) +
                          ": its value is empty (a shell variable that is not set?)");
    std::vector<std::vector<std::string>>& values = given_[given.spec->names[0]];
    auto same = std::find_if(values.begin(), values.end(), [&](const std::vector<std::string>& before) {
      return !given.spec->adds_up || key_of(before) == key_of(given.values);
    });
    if (same != values.end() && !given.spec->one_list) {
      if (!given.values.empty() && *same != given.values)
        notes.push_back("option " + with_dashes(given.spec->names[0]) + " is given more than once; the last counts: " +
                        join(given.values, " "));
      values.erase(same);
    }
    values.push_back(given.values);
  }
  static std::string key_of(const std::vector<std::string>& values) {
    return values.empty() ? "" : values[0].substr(0, values[0].find('='));
  }

  std::map<std::string, std::vector<std::vector<std::string>>> given_;
  std::map<std::string, std::string> where_;  // each was given last
  std::vector<std::string>& problems_;
};

std::optional<std::pair<int, int>> port_range(const std::string& text, Values& values) {
  if (text.empty()) return std::nullopt;
  std::vector<std::string> ends = split(text, '-');
  std::optional<int64_t> low = parse_int(ends[0]), high = parse_int(ends.back());
  if (ends.size() <= 2 && low && high && *low >= 1 && *low <= *high && *high <= 65535)
    return std::pair<int, int>(*low, *high);
  values.problem("ports", text, "a port or a range of ports: 5000-5100");
  return std::nullopt;
}

void read_placement(Values& values, Options& options) {
  options.np = values.integer("np", 0, kMaxRanks);
  options.npernode = values.integer("npernode", 1, kMaxRanks);
  if (values.flag("pernode")) options.npernode = 1;
  options.num_nodes = values.integer("num_nodes", 1, kMaxRanks);
  options.num_gpus = values.integer("num_gpus", 1, kMaxRanks);
  options.host_list = values.list("host");
  options.hostfile = values.text("hostfile");
  options.default_hostfile = values.text("default-hostfile");
  options.include = values.text("include");
  options.exclude = values.text("exclude");
  for (const char* count : {"num_nodes", "num_gpus"})
    for (const char* filter : {"include", "exclude"})
      if (values.flag(count) && values.flag(filter))
        values.problem(count, values.text(count), std::string("left out: --") + filter + " says which hosts and slots");
  options.nolocal = values.flag("nolocal");
  if (values.flag("nolocal") && values.flag("rankfile"))
    values.problem("nolocal", "", "left out: the rankfile says where ranks go");
  options.oversubscribe = values.flag("oversubscribe") && !values.flag("nooversubscribe");
  options.report_bindings = values.flag("report-bindings");
  options.share_cores = values.flag("bind_cores_to_rank");
  options.rankfile = values.text("rankfile");
  options.map_by = values.text("map-by");
  options.rank_by = values.text("rank-by");
  options.bind_to = values.word("bind-to", "", {"none", "hwthread", "core", "socket", "package", "numa"});
  options.bind_memory = values.word("bind-memory", "", {"none", "near", "only"});
  options.mesh = values.text("mesh");
  options.mesh_bytes = values.text("mesh-bytes");
  if (!options.mesh_bytes.empty() && options.mesh.empty())
    values.problem("mesh-bytes", "", "given together with --mesh");
  options.cpus_per_rank = values.integer("cpus-per-rank", 1, kMaxSlots);
  options.threads_are_cpus = values.flag("use-hwthread-cpus");
  options.cpu_list = values.text("cpu-list", values.text("bind_core_list"));
}

void read_parameters(Values& values, Options& options) {
  StartParameters start;
  for (const std::vector<std::string>& pair : values.all("mca")) {
    const std::string &key = pair[0], &value = pair[1];
    if (take_start_parameter(key, value, start) || means_an_option(key)) continue;
    if (is_about_placement(key)) options.notes.push_back(without_effect("--mca " + key));
    else if (is_about_daemons(key))
      options.notes.push_back("--mca " + key + " is about mpirun's daemons and has no effect here");
    else options.mca.emplace_back(key, value);
  }
  options.start = start.limits;
  options.start.fan_out = values.integer("fan-out", 0, kMaxRanks).value_or(start.limits.fan_out);
  if (!start.ssh.empty()) options.ssh = start.ssh;
}

void read_environment(Values& values, Options& options) {
  read_parameters(values, options);
  options.master_addr = values.text("master_addr");
  options.master_port = values.integer("master_port", 1, 65535);
  options.wireup = values.word("wireup", "pmix", {"pmix", "mpirun", "none"});
}

void read_output(Values& values, Options& options) {
  options.tag_output = values.flag("tag-output");
  options.timestamp_output = values.flag("timestamp-output");
  options.merge_stderr = values.flag("merge-stderr-to-stdout");
  options.quiet = values.flag("quiet");
  options.verbose = values.flag("verbose");
  options.output_filename = values.text("output-filename");
  options.rank_log_folder = values.text("enable_each_rank_log");
  options.stdin_target = values.text("stdin", "0");
  std::optional<int64_t> reader = parse_int(options.stdin_target);
  if (options.stdin_target != "all" && options.stdin_target != "none" && (!reader || *reader < 0))
    values.problem("stdin", options.stdin_target, "a rank, all or none");
  options.progress = values.word("progress", "auto", {"auto", "bar", "plain", "none"});
  options.color = values.word("color", "auto", {"auto", "always", "never"});
}

void read_elastic(Values& values, Options& options) {
  options.elastic = values.flag("elastic") || values.flag("elastic_training");
  options.min_ranks = values.integer("min-ranks", 1, kMaxRanks);
  options.max_restarts = values.integer("max-restarts", 0, kMaxRanks);
  options.min_elastic_nodes = values.integer("min_elastic_nodes", 1, kMaxRanks);
  options.max_elastic_nodes = values.integer("max_elastic_nodes", 1, kMaxRanks);
}

void read_job(Values& values, Options& options) {
  options.timeout_seconds = values.seconds("timeout");
  options.stack_traces = values.flag("get-stack-traces");
  options.state_on_timeout = values.flag("report-state-on-timeout");
  options.grace_seconds = values.seconds("grace");
  options.job_name = values.text("job-name");
  options.report_pid = values.text("report-pid");
  options.output = values.text("output");
  if (const std::string ours = meaning_of_output_directive(options.output); !ours.empty())
    values.problem(
        "output", options.output,
        "a folder (./" + options.output + " for one of this name); the directive of Open MPI 5 is " + ours + " here");
  options.dry_run = values.flag("dry-run");
  options.json = values.flag("json");
  options.display_map = values.flag("display-map");
  options.display_allocation = values.flag("display-allocation");
  options.ssh = values.text("ssh", options.ssh);
  options.by_ssh = values.flag("ssh");
  options.prefix = values.text("prefix");
  options.interface = values.text("interface");
  options.topology_file = values.text("topology");
  options.ports = port_range(values.text("ports"), values);
  if (values.flag("help")) options.command = Command::kHelp;
  if (values.flag("version")) options.command = Command::kVersion;
}

ProgramOptions read_program(const ScannedCommand& scanned, int index, Options& options,
                            std::vector<std::string>& problems) {
  std::vector<std::string> notes;
  Values values(scanned, index, problems, notes);
  if (index > 0) options.notes.insert(options.notes.end(), notes.begin(), notes.end());
  ProgramOptions program;
  program.argv = scanned.programs[index];
  program.np = values.integer("np", 0, kMaxRanks);
  program.wdir = values.text("wdir");
  program.host_list = values.list("host");
  program.hostfile = values.text("hostfile");
  for (const std::vector<std::string>& one : values.all("x")) {
    if (one[0].starts_with('=')) values.problem("x", one[0], "NAME or NAME=VALUE");
    program.exports.push_back(one[0]);
  }
  return program;
}

std::string no_program(const ScannedCommand& scanned, size_t index) {
  if (!scanned.where[index].empty()) return scanned.where[index] + "no program in this line";
  return scanned.programs.size() == 1 ? "no program and no train.cfg given (dslaunch -h shows examples)"
                                      : "no program after \":\"";
}

void read_programs(const ScannedCommand& scanned, Options& options, std::vector<std::string>& problems) {
  for (size_t i = 0; i < scanned.programs.size(); ++i)
    options.programs.push_back(read_program(scanned, static_cast<int>(i), options, problems));
  options.exports = options.programs[0].exports;
  options.wdir = options.programs[0].wdir;
  options.config = scanned.config;
  options.overrides = scanned.overrides;
  if (options.training()) options.programs.clear();
  for (size_t i = 0; i < options.programs.size(); ++i)
    if (options.programs[i].argv.empty() && options.command == Command::kLaunch)
      problems.push_back(no_program(scanned, i));
  if (!options.training() && !scanned.overrides.empty())
    problems.push_back("key --" + scanned.overrides[0].first + " needs a train.cfg");
  for (size_t i = 0; i < options.programs.size() && options.programs.size() > 1; ++i)
    if (!options.programs[i].np) problems.push_back(scanned.where[i] + "each program of several needs -np");
}

void check_mesh(const Options& options, std::vector<std::string>& problems) {
  if (options.mesh.empty()) return;
  if (options.training())
    return problems.push_back("option --mesh: a training job has its mesh in section [parallel] of " + options.config);
  try {
    const std::optional<ProcessMesh> mesh = mesh_of(options);
    if (options.mesh_bytes.empty()) return;
    parse_axis_bytes(options.mesh_bytes, {});
    check_axes_of_mesh(options.mesh_bytes, options.mesh);
  } catch (const Error& error) {
    problems.push_back(error.what());
  }
}

}  // namespace

bool Options::programs_have_hosts() const {
  return programs.size() > 1 && std::any_of(programs.begin() + 1, programs.end(), [](const ProgramOptions& program) {
           return !program.host_list.empty() || !program.hostfile.empty();
         });
}

Options parse_options(const std::vector<std::string>& arguments, const std::vector<std::string>& defaults,
                      const std::map<std::string, std::string>& environment) {
  if (std::optional<Options> options = parse_subcommand(arguments)) return *options;
  Options options;
  options.arguments = arguments;
  std::vector<std::string> problems;
  const ScannedCommand scanned = options_from_everywhere(arguments, defaults, environment, problems, options.notes);
  Values values(scanned, 0, problems, options.notes);
  read_placement(values, options);
  read_environment(values, options);
  read_output(values, options);
  read_job(values, options);
  read_elastic(values, options);
  if (options.command == Command::kHelp || options.command == Command::kVersion) return options;
  problems.erase(std::unique(problems.begin(), problems.end()), problems.end());
  read_programs(scanned, options, problems);
  check_mesh(options, problems);
  std::vector<std::string> unique;
  for (const std::string& problem : problems)
    if (std::find(unique.begin(), unique.end(), problem) == unique.end()) unique.push_back(problem);
  throw_if_any("", unique);
  return options;
}

}  // namespace ds
