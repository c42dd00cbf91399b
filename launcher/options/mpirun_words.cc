#include "launcher/options/mpirun_words.h"

#include <algorithm>

namespace ds {
namespace {

std::vector<MpirunWord> make_words() {
  const std::string one_daemon = "every job has its own agents; MPI_Comm_spawn and MPI_Comm_connect need mpirun itself";
  const std::string debugger = "start the debugger as the program: dslaunch -np 2 xterm -e gdb ./a.out";
  const std::string shared = "programs and files must be on a file system that all hosts see";
  const std::string one_start = "dslaunch is started once, on one host, and reaches the others: --hostfile FILE";
  const std::string restart =
      "no rank is started again alone; --max-restarts N starts all ranks again, --elastic on the hosts that are left";
  return {
      // The same under another name.
      {{"bind-to-core"}, 0, {"bind-to", "core"}, ""},
      {{"bind-to-socket"}, 0, {"bind-to", "socket"}, ""},
      {{"bycore"}, 0, {"map-by", "core"}, ""},
      {{"bynode"}, 0, {"map-by", "node"}, ""},
      {{"byslot"}, 0, {"map-by", "slot"}, ""},
      {{"npersocket"}, 1, {"map-by", "ppr:%:socket"}, ""},
      {{"ppr"}, 1, {"map-by", "ppr:%"}, ""},
      {{"cpus-per-proc"}, 1, {"cpus-per-rank", "%"}, ""},
      {{"display-devel-map", "display-diffable-map"}, 0, {"display-map"}, ""},
      {{"display-devel-allocation"}, 0, {"display-allocation"}, ""},
      {{"do-not-launch"}, 0, {"dry-run"}, ""},
      {{"ppn"}, 1, {"npernode", "%"}, ""},
      {{"l", "prepend-rank"}, 0, {"tag-output"}, ""},
      {{"iface"}, 1, {"interface", "%"}, ""},
      {{"num_accelerators"}, 1, {"num_gpus", "%"}, ""},

      // About mpirun's own daemons: there is nothing to do.
      {{"debug-daemons", "debug-daemons-file", "leave-session-attached", "novm", "noprefix", "use-regexp",
        "do-not-resolve", "enable-instant-on-support", "fwd-mpirun-port", "report-child-jobs-separately",
        "show-progress", "disable-recovery"},
       0,
       {},
       ""},
      {{"max-vm-size"}, 1, {}, ""},

      // What DeepSpeed's launcher is told so that it does what dslaunch does.
      {{"force_multi", "no_local_rank", "no_python", "no_ssh_check"}, 0, {}, ""},

      // Not here.
      {{"continuous", "enable-recovery"}, 0, {}, restart},
      {{"cf", "cartofile"}, 1, {}, "describe hosts with --topology FILE (docs/topology_file.md)"},
      {{"d", "debug-devel"}, 0, {}, "--verbose tells each step"},
      {{"debug", "tv"}, 0, {}, debugger},
      {{"debugger"}, 1, {}, debugger},
      {{"display"}, 1, {}, "use --display-map, --display-allocation or --report-bindings"},
      {{"display-topo"}, 0, {}, "dstool topology prints it"},
      {{"dvm"}, 0, {}, one_daemon},
      {{"hnp", "ompi-server"}, 1, {}, one_daemon},
      {{"f"}, 1, {}, "use --hostfile"},
      {{"genv", "env"}, 2, {}, "use -x NAME=value"},
      {{"index-argv-by-rank"}, 0, {}, "let a shell use $RANK: dslaunch sh -c 'exec ./a.out input.$RANK'"},
      {{"autotuning"}, 1, {}, "choose batch sizes in train.cfg or the DeepSpeed JSON"},
      {{"launcher"}, 1, {}, "leave it out: hosts are reached by ssh (--ssh COMMAND), in a Slurm job by srun"},
      {{"launcher_args"}, 1, {}, "options of ssh stand in --ssh \"ssh -F file\""},
      {{"log_level"}, 1, {}, "use --verbose or --quiet"},
      {{"module"}, 0, {}, "write the interpreter: dslaunch python -m package.module"},
      {{"no_ssh"}, 0, {}, one_start},
      {{"node_rank"}, 1, {}, one_start},
      {{"save_pid"}, 0, {}, "use --report-pid FILE"},
      {{"ssh_port"}, 1, {}, "give port=N in the hostfile, or --ssh \"ssh -p N\""},
      {{"venv_script"}, 1, {}, "give the program of the environment with its folder, or -x PATH=..."},
      {{"launch-agent"}, 1, {}, "use --prefix FOLDER when dslaunch is elsewhere on the hosts"},
      {{"output-proctable"}, 0, {}, "dslaunch status --json lists ranks with hosts and pids (processes)"},
      {{"path"}, 1, {}, "give the program with its folder, or -x PATH=..."},
      {{"personality"}, 1, {}, "programs of Open MPI need no word, others take --wireup none"},
      {{"s", "preload-binary"}, 0, {}, shared},
      {{"preload-files"}, 1, {}, shared},
      {{"prtemca", "pmixmca", "omca"},
       2,
       {},
       "use --mca, which reaches the MPI library of the ranks; there are no daemons of PRTE"},
      {{"report-events"}, 1, {}, "with --output FOLDER events are in FOLDER/events.jsonl"},
      {{"report-uri"}, 1, {}, "dslaunch status finds a job without it"},
      {{"runtime-options"}, 1, {}, "use --timeout"},
      {{"set-cwd-to-session-dir"}, 0, {}, "use --wdir"},
      {{"with-ft"}, 1, {}, restart},
      {{"xml"}, 0, {}, "--dry-run --json prints the plan; --output FOLDER keeps events and logs"},
      {{"xml-file"}, 1, {}, "--dry-run --json prints the plan; --output FOLDER keeps events and logs"},
      {{"xterm"}, 1, {}, "start xterm as the program: dslaunch -np 2 xterm -e ./a.out"},
  };
}

}  // namespace

const std::vector<MpirunWord>& mpirun_words() {
  static const std::vector<MpirunWord> words = make_words();
  return words;
}

std::string meaning_of_output_directive(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(",:"));
  if (word == "tag" || word == "tag-detailed" || word == "tag-fullname" || word == "rank") return "--tag-output";
  if (word == "timestamp") return "--timestamp-output";
  if (word == "merge") return "--merge-stderr-to-stdout";
  if (word.starts_with("dir=") || word.starts_with("file=")) return "--output-filename FOLDER";
  return "";
}

bool is_about_daemons(std::string_view parameter) {
  constexpr std::string_view kFrameworks[] = {"plm_",     "orte_",  "oob_",   "ras_",    "rmaps_", "routed_",
                                              "odls_",    "ess_",   "state_", "errmgr_", "rtc_",   "iof_",
                                              "grpcomm_", "filem_", "rml_",   "schizo_", "hwloc_"};
  return std::any_of(std::begin(kFrameworks), std::end(kFrameworks),
                     [&](auto framework) { return parameter.starts_with(framework); });
}

const MpirunWord* find_mpirun_word(std::string_view name) {
  for (const MpirunWord& word : mpirun_words())
    if (std::find(word.names.begin(), word.names.end(), name) != word.names.end()) return &word;
  return nullptr;
}

}  // namespace ds
