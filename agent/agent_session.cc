#include "agent/agent_session.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "agent/agent_starts.h"
#include "agent/bootstrap.h"
#include "agent/channel.h"
#include "agent/event_loop.h"
#include "agent/host_generations.h"
#include "agent/host_report.h"
#include "agent/job_folders.h"
#include "agent/launcher_link.h"
#include "agent/leftovers.h"
#include "agent/proto/control.pb.h"
#include "agent/sweep.h"
#include "agent/termination_watch.h"
#include "topology/base/error.h"

namespace ds {

namespace {

using control::Envelope;
using std::chrono::milliseconds;

constexpr auto kFlushLimit = milliseconds(1000);
constexpr auto kKillLimit = milliseconds(3000);
constexpr auto kStartsLimit = milliseconds(5000);     // for agents started from here to end before this one
constexpr auto kAbandonedDelay = milliseconds(3000);  // not while ranks start
constexpr auto kReapInterval = milliseconds(10000);
constexpr uint32_t kFindByName = 0xffffffff;

class AgentSession {
 public:
  AgentSession(const control::Bootstrap& bootstrap, std::string program)
      : bootstrap_(bootstrap),
        program_(std::move(program)),
        host_name_(own_host_name()),
        host_index_(bootstrap.host_index()),
        launcher_(io_, bootstrap_, hello_,
                  {[this](const std::shared_ptr<Channel>& channel) { connected(channel); },
                   [this](const Envelope& message) { handle(message); },
                   [this] { launcher_away(); },
                   [this](const std::string& reason) { die(reason, 1); }}),
        starts_(io_, bootstrap_, [this](uint32_t host, int exit_code, const std::string& said) {
          start_ended(host, exit_code, said);
        }) {
    if (host_index_ == kFindByName) host_index_ = find_own_index(bootstrap, host_name_).value_or(kFindByName);
    hello_.set_protocol(kProtocolVersion);
    hello_.set_build(build_id());
    hello_.set_host_index(host_index_);
    hello_.set_host_name(host_name_);
    hello_.set_pid(static_cast<uint32_t>(getpid()));
    hello_.set_cpu_flags(cpu_flags());
  }

  int run() {
    // Under Slurm a cancelled step sends TERM to every process of it, ranks included, and the launcher decides what
    // follows; elsewhere somebody wants this agent to end.
    if (!getenv("SLURM_JOB_ID")) termination_.emplace(io_, [this] { terminated(); });
    if (host_index_ != kFindByName) take_place();
    launcher_.run();
    reap_now_and_then();
    abandoned_timer_.after(kAbandonedDelay, [this] { sweep_abandoned(bootstrap_.job(), kKillLimit); });
    const auto work = boost::asio::make_work_guard(io_);
    io_.run();
    return 0;
  }

 private:
  // ---- joining

  void connected(const std::shared_ptr<Channel>& channel) {
    channel_ = channel;
    if (generations_) generations_->connect(channel);
  }

  void launcher_away() {
    if (generations_) hello_.set_generation(generations_->hold());
  }

  // From here on the host index is known, and with it where files go.
  void take_place() {
    folders_.emplace(bootstrap_.job(), host_index_, host_name_);
    folders_->remove_all();  // of an agent of this job that was here before
    try {
      settle();
    } catch (const Error&) {
      folders_->remove_all();
      throw;
    }
  }

  void settle() {
    folders_->create_host_folder();
    write_agent_record(folders_->host_folder());
    generations_.emplace(
        io_, HostGenerations::Options{program_, bootstrap_.job(), host_name_, host_index_, bootstrap_.elastic(),
                                      [this] { return starts_.pids(); }, ports()},
        *folders_);
    if (channel_) generations_->connect(channel_);
    generations_->start_spare();
  }

  // ---- messages

  void handle(const Envelope& message) {
    Envelope answer;
    switch (message.body_case()) {
      case Envelope::kWelcome:
        return welcomed(message.welcome());
      case Envelope::kReject:
        return die("the launcher refused this agent: " + message.reject().reason(), 2);
      case Envelope::kShutdown:
        return shut_down();
      case Envelope::kDescribe:
        return describe(message.describe());
      case Envelope::kCheckPaths:
        *answer.mutable_path_report() = check_paths(message.check_paths(), host_name_);
        break;
      case Envelope::kStartAgents:
        for (const control::AgentStart& start : message.start_agents().starts()) starts_.start(start);
        return;
      case Envelope::kEndStart:
        return starts_.end(message.end_start());
      case Envelope::kResume:
        return generations_ ? generations_->resume(message.resume().generation()) : void();
      case Envelope::kStart:
        return generations_ ? generations_->start(message.start()) : void();
      case Envelope::kEnd:
        return generations_ ? generations_->end(message.end()) : void();
      default:
        return generations_ ? generations_->pass_on(message) : void();
    }
    channel_->send(answer);
  }

  void welcomed(const control::Welcome& welcome) {
    hello_.set_resumed(true);  // from now on
    if (host_index_ != kFindByName) return;
    host_index_ = welcome.host_index();
    take_place();
  }

  PortRange ports() const {
    return {static_cast<int>(bootstrap_.first_port()), static_cast<int>(bootstrap_.last_port())};
  }

  void describe(const control::Describe& wanted) {
    Envelope message;
    try {
      *message.mutable_host_report() = report_host(wanted.interface(), ports());
    } catch (const Error& error) {
      message.mutable_failed()->set_reason(std::string(error.what()) + " (on " + host_name_ + ")");
      message.mutable_failed()->set_exit_code(exit_status(error.code()));
    }
    channel_->send(message);
  }

  void start_ended(uint32_t host, int exit_code, const std::string& said) {
    Envelope message;
    message.mutable_start_ended()->set_host_index(host);
    message.mutable_start_ended()->set_exit_code(exit_code);
    message.mutable_start_ended()->set_said(said);
    channel_->send(message);
  }

  // Orphans of ranks whose rank server died come to this process, their next subreaper.
  void reap_now_and_then() {
    std::set<pid_t> known = starts_.pids();
    if (generations_) known.merge(generations_->server_pids());
    reap_orphans(known);
    reap_timer_.at_next(kReapInterval, [this] { reap_now_and_then(); });
  }

  // ---- the end

  void kill_everything() {
    JobMarker marker{bootstrap_.job(), host_index_ == kFindByName ? std::nullopt : std::optional(host_index_)};
    marker.with_servers = true;
    marker.apart = starts_.pids();  // their agents lose their life lines with this process, and clean up themselves
    const std::string left = kill_leftovers(marker, {}, marker.apart, kKillLimit);
    generations_.reset();  // it must not take its servers' end for a failure, nor miss the statuses taken above
    if (!left.empty()) std::fprintf(stderr, "dsagent on %s: cannot be killed: %s\n", host_name_.c_str(), left.c_str());
    if (folders_) folders_->remove_all();
  }

  void shut_down() {
    if (generations_ && generations_->end_quickly())
      folders_->remove_all();
    else
      kill_everything();
    starts_.wait_for_all(kStartsLimit, [this] {
      channel_->flush([] { _exit(0); });
      exit_timer_.after(kFlushLimit, [] { _exit(0); });
    });
  }

  void terminated() {
    if (channel_) {
      Envelope message;
      message.mutable_failed()->set_reason("the agent on " + host_name_ + " was ended by SIGTERM");
      message.mutable_failed()->set_exit_code(128 + SIGTERM);
      channel_->send(message);
    }
    die("ended by SIGTERM", 128 + SIGTERM);
  }

  // At once and without the launcher: ranks first, words last.
  [[noreturn]] void die(const std::string& reason, int exit_code) {
    kill_everything();
    std::fprintf(stderr, "dsagent on %s: %s\n", host_name_.c_str(), reason.c_str());
    _exit(exit_code);
  }

  control::Bootstrap bootstrap_;
  std::string program_, host_name_;
  uint32_t host_index_;
  control::Hello hello_;
  boost::asio::io_context io_;
  LauncherLink launcher_;
  AgentStarts starts_;
  std::shared_ptr<Channel> channel_;  // to it, once there is one
  std::optional<JobFolders> folders_;
  std::optional<HostGenerations> generations_;
  std::optional<TerminationWatch> termination_;
  Timer exit_timer_{io_}, reap_timer_{io_}, abandoned_timer_{io_};
};

}  // namespace

int run_agent(const control::Bootstrap& bootstrap, const std::string& program) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const int number : {SIGPIPE, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) signal(number, SIG_IGN);
  if (getenv("SLURM_JOB_ID")) signal(SIGTERM, SIG_IGN);
  return AgentSession(bootstrap, program).run();
}

}  // namespace ds
