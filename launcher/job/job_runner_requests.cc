// What people and schedulers want of a job that runs: requests at the control port, signals.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "agent/channel.h"
#include "agent/proto/control.pb.h"
#include "launcher/control/agent_fleet.h"
#include "launcher/records/job_record.h"
#include "launcher/job/job_runner.h"
#include "launcher/job/status_answer.h"
#include "launcher/output/console.h"
#include "launcher/output/event_log.h"
#include "launcher/output/terminal_writer.h"
#include "launcher/plan/job.h"
#include "topology/base/wall_clock.h"

namespace ds {

using std::chrono::steady_clock;

void JobRunner::take_request(const std::shared_ptr<Channel>& channel, const control::Request& request) {
  control::Envelope answer;
  control::Reply& reply = *answer.mutable_reply();
  if (request.what() == "status") {
    const bool json = request.arguments_size() > 0 && request.arguments(0) == "json";
    reply.set_text(json ? status_json(record_, ranks_, job_.plan) : record_.state_text());
  } else if (request.what() == "stop" || request.what() == "stop-checkpoint") {
    bool save = request.what() == "stop-checkpoint";
    if (save && !job_.training()) {
      reply.set_exit_code(2);
      reply.set_text("only training jobs save checkpoints; use: dslaunch stop " + job_.id);
    } else {
      reply.set_text("stopping " + job_.id);
      channel->send(answer);
      return request_stop(save ? kExitTryLater : 128 + SIGTERM, save ? SIGUSR1 : SIGTERM,
                          save ? "stopped on request, a checkpoint was asked for" : "stopped on request");
    }
  } else {
    reply.set_exit_code(2);
    reply.set_text(request.what() + ": not supported yet");
  }
  channel->send(answer);
}

void JobRunner::stranger_refused(const std::string& line) {
  console_.note(line);
  Event event{"connection_refused"};
  event.reason = line;
  record_.write(event);
}

// Those of mpirun. A training job saves at USR1 and has no use for the others, but an ABRT is meant to end it.
static bool is_for_ranks(int signal, bool training) {
  return signal == SIGUSR1 || signal == SIGUSR2 || signal == SIGALRM || (signal == SIGABRT && !training);
}

static std::string keys_of(int signal) {
  return signal == SIGINT ? " (Ctrl-C)" : signal == SIGQUIT ? " (Ctrl-\\)" : "";
}

void JobRunner::take_signal(int signal) {
  console_.detail("got " + signal_name(signal));
  if (signal == SIGTSTP)  // a launcher that stands still is a lost launcher to its agents
    return console_.note(
        "Ctrl-Z has no effect: the job ends when its launcher stands still. Ctrl-C stops the job; to free "
        "the terminal, start it with: nohup dslaunch ... &");
  if (signal == SIGUSR1 && job_.training())
    return request_stop(kExitTryLater, SIGUSR1, "stopped by SIGUSR1, a checkpoint was asked for");
  if (is_for_ranks(signal, job_.training())) {
    control::Envelope message;
    message.mutable_signal()->set_generation(record_.generation());
    message.mutable_signal()->set_signal(signal);
    if (ranks_exist() && !job_.training()) fleet_->send_all(message);
    return;
  }
  request_stop(128 + signal, SIGTERM, "stopped by " + signal_name(signal) + keys_of(signal));
}

// As in any pipe, programs that nobody listens to any more end; a training job goes on.
void JobRunner::look_at_stdout() {
  const int failure = console_.writer().failure(STDOUT_FILENO);
  const bool closed = failure == EPIPE;
  if (failure == stdout_failure_ || (closed && state_ != JobState::kRunning)) return;  // no ranks yet: asked again
  stdout_failure_ = failure;
  if (!closed)
    console_.error(std::string("stdout: ") + std::strerror(failure) + ": what ranks write is lost from here on");
  else if (!job_.training())
    request_stop(128 + SIGPIPE, SIGTERM, "stopped: the reader of stdout has closed it (SIGPIPE)");
}

void JobRunner::request_stop(int exit_code, int signal_to_ranks, const std::string& why) {
  auto now = steady_clock::now();
  if (verdict_) {
    // Slurm and shells may send the same signal twice: only a person's second one, or a later one, means "at once".
    if (exit_code == 128 + SIGINT || exit_code == 128 + SIGQUIT || now - stop_asked_ > std::chrono::seconds(3))
      step(JobEvent::kStopAgain);
    return pump();
  }
  stop_asked_ = now;
  Verdict verdict;
  verdict.exit_code = exit_code;
  verdict.error = why;
  verdict.noticed_ns = wall_clock_ns();
  if (exit_code > 128) verdict.signal = exit_code - 128;
  verdict_ = verdict;
  stopping_ = true;
  stop_signal_ = signal_to_ranks;
  if (state_ == JobState::kRunning && job_.training())
    console_.note(why + ": ranks finish their step, at most " + std::to_string(grace().count() / 1000) +
                  " s; once more ends them at once");
  step(JobEvent::kStopRequested);
  pump();
}

}  // namespace ds
