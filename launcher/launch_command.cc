#include "launcher/launch_command.h"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "launcher/elastic/elastic_world.h"
#include "launcher/output/console.h"
#include "launcher/plan/generation_setup.h"
#include "launcher/plan/job.h"
#include "launcher/records/job_file.h"
#include "launcher/records/job_record.h"
#include "launcher/job/job_runner.h"
#include "launcher/records/predecessor.h"
#include "launcher/job/report.h"
#include "launcher/job/stop_signals.h"
#include "topology/base/error.h"

namespace ds {
namespace {

int print_plan(const Job& job, Console& console) {
  if (!job.plan.placed)
    console.note("slots of some hosts are known only to the hosts themselves (their cores), and a dry run contacts "
                 "nobody: ranks and groups are left out");
  console.out(job.options.json ? plan_json(job.plan) : plan_text(job.plan));
  return 0;
}

// --report-pid: to a file, to standard output (-) or to standard error (+), as mpirun does.
void report_pid(const std::string& where, Console& console) {
  const std::string text = std::to_string(::getpid()) + "\n";
  if (where == "-") return console.out(text);
  if (where == "+") return console.err(text);
  std::ofstream file(where);
  if (!(file << text << std::flush)) throw Error(ErrorCode::kUsage, "option --report-pid: cannot write " + where);
}

// Before any rank starts: a mistake in the option, not a disk that fails later.
void make_log_folder(const char* option, const std::string& folder) {
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ErrorCode::kUsage,
                std::string("option ") + option + ": cannot make folder " + folder + ": " + error.message());
}

void tell_notes(const Job& job, Console& console) {
  for (const std::string& note : job.options.notes) console.note(note);
  for (const std::string& warning : job.hosts.warnings) console.note("warning: " + warning);
  if (job.settings && job.options.verbose)
    for (const std::string& note : job.settings->notes) console.note(note);
}

}  // namespace

int launch_command(Options options, Console& console, StopSignals& signals) {
  Job job = prepare_job(std::move(options));
  tell_notes(job, console);
  if (job.options.dry_run) {
    if (job.elastic.restarts && job.plan.placed) job.plan.elastic = ElasticWorld(job).report(job.elastic);
    return print_plan(job, console);
  }
  drop_unused_hosts(job);
  if (job.plan.placed && job.plan.world_size == 0) return 0;
  if (!job.options.report_pid.empty()) report_pid(job.options.report_pid, console);
  const RankOutputOptions files = output_options(job, "", console);
  make_log_folder("--output-filename", files.mpirun_folder);
  make_log_folder("--enable_each_rank_log", files.rank_log_folder);
  JobRecord record(job);
  if (job.training()) {
    job.output = job.config->text("job.output");
    record.lock_output(job.output);
    find_predecessor(job_file_folder(), job);
  }
  if (job.plan.placed && !job.after) record.open_output();
  if (!record.already_done().empty()) {
    console.note(job.output + ": " + record.already_done() + ", nothing to do");
    return 0;
  }
  boost::asio::io_context io;
  JobRunner runner(io, job, record, console, signals);
  Verdict verdict = runner.run();
  report(console, verdict, runner.last_lines(verdict));
  return verdict.exit_code;
}

}  // namespace ds
