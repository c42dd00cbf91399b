#include "launcher/command_line.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "agent/channel.h"
#include "launcher/agents_command.h"
#include "launcher/output/colour_choice.h"
#include "launcher/output/console.h"
#include "launcher/job/job_request.h"
#include "launcher/launch_command.h"
#include "launcher/options/option_table.h"
#include "launcher/options/options.h"
#include "launcher/plan/hosts_from.h"
#include "launcher/job/report.h"
#include "launcher/job/stop_signals.h"
#include "launcher/output/terminal_writer.h"
#include "topology/base/error.h"
#include "topology/base/wall_clock.h"

namespace ds {
namespace {

constexpr const char* kVersion = "0.1.0";

int dispatch(Options options, Console& console, std::unique_ptr<StopSignals> signals) {
  switch (options.command) {
    case Command::kHelp:
      console.out(help_text());
      return 0;
    case Command::kVersion:
      console.out(std::string("dslaunch ") + kVersion + " (build " + build_id() + ")\n");
      return 0;
    case Command::kStatus: return status_command(options, console);
    case Command::kStop: return stop_command(options, console);
    case Command::kLogs: return logs_command(options, console);
    case Command::kResize: throw Error(ErrorCode::kUsage, "resize: not supported yet");
    case Command::kAgents: return agents_command(options.arguments, console);
    case Command::kLaunch: break;
  }
  return launch_command(std::move(options), console, *signals);
}

Console::Options console_options(const Options& options) {
  const char* no_color = std::getenv("NO_COLOR");
  auto coloured = [&](int fd) { return uses_colours(options.color, ::isatty(fd), no_color); };
  return {options.quiet, options.verbose, coloured(STDERR_FILENO), coloured(STDOUT_FILENO)};
}

int fail(Console& console, int exit_code, const std::string& error) {
  Verdict verdict;
  verdict.exit_code = exit_code;
  verdict.error = error;
  verdict.noticed_ns = wall_clock_ns();
  report(console, verdict, "");
  return exit_code;
}

// What a command says is its result: what could not be written is a failure. While a job runs, JobRunner looks.
int with_stdout(int exit_code, Console& console) {
  console.writer().drain();
  const int failure = console.writer().failure(STDOUT_FILENO);
  if (exit_code != 0 || failure == 0) return exit_code;
  if (failure == EPIPE) return 128 + SIGPIPE;
  console.error(std::string("stdout: ") + std::strerror(failure));
  return 1;
}

}  // namespace

int run_dslaunch(const std::vector<std::string>& arguments) {
  Options options;
  std::optional<Error> wrong;
  try {
    options = parse_options(arguments, {}, environment_map());
  } catch (const Error& error) {
    wrong = error;
  }
  std::unique_ptr<StopSignals> signals;  // of a launch: before there are threads, and from here on none is lost
  if (!wrong && options.command == Command::kLaunch)
    signals = std::make_unique<StopSignals>(
        std::vector<int>{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGABRT, SIGTSTP});
  TerminalWriter writer;
  Console console(writer, wrong ? Console::Options{} : console_options(options));
  if (wrong) return fail(console, exit_status(wrong->code()), wrong->what());
  const bool runs_a_job = options.command == Command::kLaunch && !options.dry_run;
  try {
    const int exit_code = dispatch(std::move(options), console, std::move(signals));
    return runs_a_job ? exit_code : with_stdout(exit_code, console);
  } catch (const Error& error) {
    return fail(console, exit_status(error.code()), error.what());
  } catch (const std::exception& error) {
    return fail(console, 1, std::string("launcher: ") + error.what());
  }
}

}  // namespace ds
