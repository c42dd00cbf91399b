#include "launcher/options/option_table.h"

#include <algorithm>

namespace ds {
namespace {

using enum OptionAnswer;

std::vector<OptionSpec> make_table() {
  const std::string hosts = "Ranks and hosts", place = "Placement and binding", env = "Environment of the ranks",
                    out = "Output", job = "Job", plan = "Plan", reach = "Reaching hosts", more = "Other";
  return {
      {{"np", "n", "c"}, "N", hosts, "number of ranks; left out: one per slot", kSupported, true},
      {{"npernode", "N"}, "n", hosts, "n ranks on every host"},
      {{"pernode"}, "", hosts, "one rank on every host"},
      {{"host", "H"}, "a,b:2", hosts, "hosts with slots; a plain name is one slot; again: more hosts", kSupported, true, false, true},
      {{"hostfile", "machinefile"}, "file", hosts, "hosts, one a line: name slots=n", kSupported, true},
      {{"default-hostfile"}, "file", hosts, "hosts when nothing else names any, Slurm included"},
      {{"include", "i"}, "h1@h2:0,2", hosts, "only these hosts or slots"},
      {{"exclude", "e"}, "h1@h2:0,2", hosts, "all but these hosts or slots"},
      {{"num_nodes"}, "n", hosts, "the first n hosts"},
      {{"num_gpus"}, "n", hosts, "n slots of every host"},
      {{"nolocal"}, "", hosts, "no ranks on this machine"},
      {{"app"}, "file", hosts, "programs from a file, one a line with its -np, -H, -x, ..."},

      {{"oversubscribe"}, "", place, "more ranks than slots are fine"},
      {{"nooversubscribe"}, "", place, "more ranks than slots are an error (as without it)"},
      {{"rankfile", "rf"}, "file", place, "where each rank goes: rank 0=host slot=0-1"},
      {{"map-by"}, "how", place, "slot | node | socket | numa | core | hwthread | ppr:n:<one of these>, then :PE=n,OVERSUBSCRIBE"},
      {{"rank-by"}, "how", place, "slot | node | socket | numa | core | hwthread: order of rank numbers"},
      {{"bind-to"}, "what", place, "none | hwthread | core | socket | numa"},
      {{"bind-memory"}, "what", place, "none | near | only: memory of the NUMA nodes of a rank's cores (near for training jobs)"},
      {{"mesh"}, "tp=8,dp=2", place, "axes of a program's ranks, fastest first: busy axes are placed on near slots"},
      {{"mesh-bytes"}, "tp=6e10", place, "what each rank sends along an axis in a step, instead of a reference model's"},
      {{"cpus-per-rank"}, "n", place, "bind each rank to n cores, as map-by's PE=n"},
      {{"use-hwthread-cpus"}, "", place, "hardware threads count as CPUs"},
      {{"report-bindings"}, "", place, "tell where each rank is bound"},
      {{"cpu-list", "cpu-set"}, "list", place, "use only these CPUs of every host: 0,2-5"},
      {{"bind_cores_to_rank"}, "", place, "share the cores of a host among its ranks, at least one each"},
      {{"bind_core_list"}, "list", place, "the cores to share: 0,2-5"},

      {{"x"}, "VAR[=value]", env, "give this variable to the ranks", kSupported, true, true},
      {{"wdir", "wd"}, "folder", env, "working folder of the ranks", kSupported, true},
      {{"mca", "gmca"}, "key value", env, "a parameter for Open MPI", kSupported, false, true},
      {{"tune"}, "file", env, "-x and --mca from a file, one or more a line", kSupported, false, true},
      {{"am"}, "file", env, "parameters for Open MPI from a file: key = value", kSupported, false, true},
      {{"master_addr"}, "address", env, "MASTER_ADDR of the ranks"},
      {{"master_port"}, "port", env, "MASTER_PORT of the ranks"},
      {{"wireup"}, "how", env, "pmix | mpirun | none: how MPI programs find each other"},

      {{"tag-output"}, "", out, "mark each line with rank and stream"},
      {{"timestamp-output"}, "", out, "mark each line with the time"},
      {{"output-filename"}, "folder", out, "also write folder/1/rank.<r>/stdout and stderr; folder:nocopy = only there"},
      {{"enable_each_rank_log"}, "folder", out, "also write folder/rank<r>.log"},
      {{"merge-stderr-to-stdout"}, "", out, "one stream per rank"},
      {{"stdin"}, "rank", out, "who reads standard input: a rank (0), all, none"},
      {{"progress"}, "how", out, "auto | bar | plain | none"},
      {{"color"}, "when", out, "auto | always | never: tags in the colour of the rank; auto = on a terminal without NO_COLOR"},
      {{"quiet", "q"}, "", out, "no notes"},
      {{"verbose", "v"}, "", out, "tell each step"},

      {{"timeout"}, "seconds", job, "end the job after so long, exit code 110; 0: no limit"},
      {{"get-stack-traces"}, "", job, "at the time limit, print where each thread of each rank stands"},
      {{"report-state-on-timeout"}, "", job, "at the time limit, print host, pid and state of each rank"},
      {{"grace"}, "seconds", job, "after a stop request, how long ranks may take (30 for training, 1 for programs)"},
      {{"elastic"}, "", job, "after a failure start the ranks again, with fewer if hosts are gone, with more when they return"},
      {{"min-ranks"}, "n", job, "with --elastic: never fewer (1)"},
      {{"max-restarts"}, "n", job, "start the ranks again after up to n failures an hour (0; with --elastic 10)"},
      {{"elastic_training"}, "", job, "DeepSpeed's name for --elastic"},
      {{"min_elastic_nodes"}, "n", job, "with --elastic: fewest hosts"},
      {{"max_elastic_nodes"}, "n", job, "with --elastic: most hosts"},
      {{"job-name"}, "name", job, "start of the job id"},
      {{"output"}, "folder", job, "where logs, events and results go"},

      {{"report-pid"}, "file", job, "write the process id of dslaunch; - stdout, + stderr"},

      {{"dry-run"}, "", plan, "print the plan, start nothing, contact nobody"},
      {{"json"}, "", plan, "print the plan as JSON"},
      {{"display-map"}, "", plan, "print where ranks go, then start"},
      {{"display-allocation"}, "", plan, "print hosts and slots, then start"},

      {{"ssh"}, "command", reach, "instead of ssh, for example \"ssh -F file\""},
      {{"fan-out"}, "n", reach, "dslaunch and each agent start up to n agents (16); 0: dslaunch starts all"},
      {{"prefix"}, "folder", reach, "where dslaunch is installed on the hosts"},
      {{"interface", "network"}, "name", reach, "this interface (eth0) or network (10.0.0.0/8) for control and MPI"},
      {{"ports"}, "a-b", reach, "listen on a port of this range"},
      {{"topology"}, "file", reach, "description of the hosts instead of asking them"},

      {{"allow-run-as-root"}, "", more, "accepted, root is allowed", kNoEffect},
      {{"help", "h"}, "", more, "this text"},
      {{"version", "V"}, "", more, "version and build"},
  };
}

}  // namespace

int OptionSpec::num_values() const {
  if (value.empty()) return 0;
  return value.find(' ') == std::string::npos ? 1 : 2;
}

const std::vector<OptionSpec>& option_table() {
  static const std::vector<OptionSpec> table = make_table();
  return table;
}

const OptionSpec* find_option(std::string_view name) {
  for (const OptionSpec& spec : option_table())
    if (std::find(spec.names.begin(), spec.names.end(), name) != spec.names.end()) return &spec;
  return nullptr;
}

std::string with_dashes(const std::string& name) { return (name.size() <= 2 ? "-" : "--") + name; }

}  // namespace ds
