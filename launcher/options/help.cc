// The text of dslaunch -h, made from the option table.
#include "launcher/options/option_table.h"

namespace ds {
namespace {

constexpr const char* kUsage = R"(dslaunch starts training jobs and programs on one or many machines.

  dslaunch [options] train.cfg [--section.key value ...]     train
  dslaunch [options] program [arguments] [: program ...]     any program, as mpirun does
  dslaunch status [JOB] [--json]                             what a job does
  dslaunch stop JOB [--checkpoint]                           end a job, saving first
  dslaunch logs JOB [--rank r] [-f]                          output of a job's ranks
  dslaunch resize JOB -np N                                  (not supported yet)
  dslaunch agents start [--idle 12h] [options]               agents that stay on hosts for the next jobs
  dslaunch agents stop [HOST ...]                            end them: all, or those of some hosts
  dslaunch agents list [--json]                              which there are

JOB is an output folder or a job id; left out: the only running one.

Examples
  dslaunch train.cfg                            all cores of this machine, or the SLURM allocation
  dslaunch --hostfile hosts train.cfg           every slot of the hosts
  dslaunch -np 4 train.cfg --train.steps 200    four ranks, one key of train.cfg replaced
  dslaunch -np 8 -H a:4,b:4 ./my_mpi_program    an MPI program on two hosts
  dslaunch --dry-run --json train.cfg           the plan only
  dslaunch stop runs/char-gpt --checkpoint      save a checkpoint and end
)";

std::string left_column(const OptionSpec& spec) {
  std::string text = "  ";
  for (size_t i = 0; i < spec.names.size(); ++i) text += (i ? ", " : "") + with_dashes(spec.names[i]);
  return spec.value.empty() ? text : text + " " + spec.value;
}

std::string line_of(const OptionSpec& spec) {
  constexpr size_t kColumn = 40;
  std::string line = left_column(spec);
  line += line.size() + 2 > kColumn ? "\n" + std::string(kColumn, ' ') : std::string(kColumn - line.size(), ' ');
  line += spec.help;
  return line + "\n";
}

}  // namespace

std::string help_text() {
  std::string text = kUsage, group;
  for (const OptionSpec& spec : option_table()) {
    if (spec.group != group) text += "\n" + (group = spec.group) + "\n";
    text += line_of(spec);
  }
  return text +
         "\nLong options may have one dash or two. Exit codes: 0 all ranks ended well; a failing rank's own code or "
         "128 +\n"
         "its signal; 2 usage; 75 try later; 98 host lost; 110 time limit; 126, 127 program cannot be run, not "
         "found.\n";
}

}  // namespace ds
