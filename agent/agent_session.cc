#include "agent/agent_session.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "agent/bootstrap.h"
#include "agent/channel.h"
#include "agent/dial.h"
#include "agent/event_loop.h"
#include "agent/host_generations.h"
#include "agent/host_report.h"
#include "agent/job_folders.h"
#include "agent/lease.h"
#include "agent/leftovers.h"
#include "agent/proto/control.pb.h"
#include "agent/sweep.h"
#include "agent/termination_watch.h"
#include "topology/base/error.h"

namespace ds {

namespace {

using Clock = std::chrono::steady_clock;
using control::Envelope;
using std::chrono::milliseconds;

constexpr auto kDialLimit = milliseconds(3000);
constexpr auto kRedialPause = milliseconds(200);
constexpr int kDials = 10;  // so often a connection may end before the Welcome
constexpr auto kFlushLimit = milliseconds(1000);
constexpr auto kKillLimit = milliseconds(3000);
constexpr auto kAbandonedDelay = milliseconds(3000);  // not while ranks start
constexpr auto kReapInterval = milliseconds(1000);
constexpr uint32_t kFindByName = 0xffffffff;
constexpr uint32_t kDefaultLeaseMs = 20000, kDefaultBeatMs = 500;

class AgentSession {
 public:
  AgentSession(const control::Bootstrap& bootstrap, std::string program)
      : bootstrap_(bootstrap),
        program_(std::move(program)),
        host_name_(own_host_name()),
        host_index_(bootstrap.host_index()),
        lease_(Clock::now(), milliseconds(bootstrap.lease_ms() ? bootstrap.lease_ms() : kDefaultLeaseMs)) {
    if (host_index_ == kFindByName) host_index_ = find_own_index(bootstrap, host_name_).value_or(kFindByName);
  }

  int run() {
    // Under Slurm a cancelled step sends TERM to every process of it, ranks included, and the launcher decides what
    // follows; elsewhere somebody wants this agent to end.
    if (!getenv("SLURM_JOB_ID")) termination_.emplace(io_, [this] { terminated(); });
    if (host_index_ != kFindByName) take_place();
    dial();
    watch_lease();
    reap_now_and_then();
    abandoned_timer_.after(kAbandonedDelay, [this] { sweep_abandoned(bootstrap_.job(), kKillLimit); });
    const auto work = boost::asio::make_work_guard(io_);
    io_.run();
    return 0;
  }

 private:
  // ---- joining

  // From here on the host index is known, and with it where files go.
  void take_place() {
    folders_.emplace(bootstrap_.job(), host_index_, host_name_);
    folders_->remove_all();  // of an agent of this job that was here before
    folders_->create_host_folder();
    write_agent_record(folders_->host_folder());
    generations_.emplace(
        io_, HostGenerations::Options{program_, bootstrap_.job(), host_name_, host_index_, bootstrap_.elastic()},
        *folders_);
    if (channel_) generations_->connect(channel_);
    generations_->start_spare();
  }

  void dial() {
    const std::vector<std::string> addresses(bootstrap_.addresses().begin(), bootstrap_.addresses().end());
    ++dials_;
    dialer_.emplace(io_, addresses, static_cast<uint16_t>(bootstrap_.port()), kDialLimit,
                    [this](FileDescriptor socket, const std::string& reasons) {
                      if (!socket && dials_ > 1) die("the launcher is gone: " + reasons, 1);
                      if (!socket) return use_standard_streams();
                      const int fd = socket.release();
                      open_channel(fd, fd);
                      if (!life_line_) watch_life_line();
                    });
  }

  // Only the launcher can reach us, not we it: the frames take the way that brought the bootstrap.
  void use_standard_streams() {
    const std::string marker = "\n" + bootstrap_.marker() + "\n";
    const ssize_t written = write(STDOUT_FILENO, marker.data(), marker.size());
    if (written != static_cast<ssize_t>(marker.size()))
      die("no address of the launcher answers, and stdout is closed", 1);
    open_channel(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  }

  void open_channel(int read_fd, int write_fd) {
    channel_ = Channel::create(io_, read_fd, write_fd, ChannelRole::kAgent, bootstrap_.key());
    channel_->start([this](const Envelope& message) { handle(message); },
                    [this](const std::string& reason) { launcher_is_gone(reason); });
    send_hello();
    send_beat();
    if (generations_) generations_->connect(channel_);
  }

  void send_hello() {
    Envelope message;
    auto& hello = *message.mutable_hello();
    hello.set_protocol(kProtocolVersion);
    hello.set_build(build_id());
    hello.set_host_index(host_index_);
    hello.set_host_name(host_name_);
    hello.set_pid(static_cast<uint32_t>(getpid()));
    hello.set_cpu_flags(cpu_flags());
    channel_->send(message);
  }

  // ---- contact

  void watch_life_line() {
    if (!life_line_) life_line_.emplace(io_, STDIN_FILENO);
    life_line_->when_readable([this] {
      char bytes[256];
      const ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
      if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) return watch_life_line();
      life_line_.reset();
      if (!bootstrap_.elastic()) die("the launcher is gone (life line closed)", 1);
    });
  }

  // Before the Welcome it may only have had too many callers at once: those that have not proved yet are pushed out.
  void launcher_is_gone(const std::string& reason) {
    if (!welcomed_ && life_line_ && dials_ < kDials) {
      beat_timer_.cancel();
      return dial_timer_.after(kRedialPause, [this] { dial(); });
    }
    if (!bootstrap_.elastic()) die("the launcher is gone: " + reason, 1);
  }

  void watch_lease() {
    lease_timer_.after(lease_.expires() - Clock::now(), [this] {
      const auto now = Clock::now();
      if (lease_.expired(now))
        die("no answer from the launcher for " + std::to_string(lease_.silence(now).count()) + " ms", 1);
      watch_lease();
    });
  }

  void send_beat() {
    Envelope message;
    message.mutable_beat()->set_time_ns(static_cast<uint64_t>(Clock::now().time_since_epoch().count()));
    double load = 0;
    if (getloadavg(&load, 1) == 1) message.mutable_beat()->set_load(load);
    message.mutable_beat()->set_answer_ns(answer_ns_);
    channel_->send(message);
    beat_timer_.after(milliseconds(bootstrap_.beat_ms() ? bootstrap_.beat_ms() : kDefaultBeatMs),
                      [this] { send_beat(); });
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
      case Envelope::kBeatAck:
        return acknowledged(message.beat_ack());
      case Envelope::kDescribe:
        return describe();
      case Envelope::kCheckPaths:
        *answer.mutable_path_report() = check_paths(message.check_paths(), host_name_);
        break;
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
    welcomed_ = true;
    if (host_index_ != kFindByName) return;
    host_index_ = welcome.host_index();
    take_place();
  }

  void acknowledged(const control::BeatAck& ack) {
    answer_ns_ = ack.own_ns();
    const auto sent = Clock::time_point(Clock::duration(static_cast<Clock::rep>(ack.time_ns())));
    lease_.acknowledged(sent, Clock::now());
  }

  void describe() {
    Envelope message;
    try {
      *message.mutable_host_report() = report_host(message.describe().interface());
    } catch (const Error& error) {
      message.mutable_failed()->set_reason(std::string(error.what()) + " (on " + host_name_ + ")");
      message.mutable_failed()->set_exit_code(exit_status(error.code()));
    }
    channel_->send(message);
  }

  // Orphans of ranks whose rank server died come to this process, their next subreaper.
  void reap_now_and_then() {
    reap_orphans(generations_ ? generations_->server_pids() : std::set<pid_t>{});
    reap_timer_.after(kReapInterval, [this] { reap_now_and_then(); });
  }

  // ---- the end

  void kill_everything() {
    JobMarker marker{bootstrap_.job(), host_index_ == kFindByName ? std::nullopt : std::optional(host_index_)};
    marker.with_servers = true;
    const std::string left = kill_leftovers(marker, {}, {}, kKillLimit);
    generations_.reset();  // it must not take its servers' end for a failure, nor miss the statuses taken above
    if (!left.empty()) std::fprintf(stderr, "dsagent on %s: cannot be killed: %s\n", host_name_.c_str(), left.c_str());
    if (folders_) folders_->remove_all();
  }

  void shut_down() {
    if (generations_ && generations_->end_quickly())
      folders_->remove_all();
    else
      kill_everything();
    channel_->flush([] { _exit(0); });
    lease_timer_.after(kFlushLimit, [] { _exit(0); });
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
  Lease lease_;
  boost::asio::io_context io_;
  std::optional<JobFolders> folders_;
  std::optional<HostGenerations> generations_;
  std::optional<TerminationWatch> termination_;
  std::optional<Dialer> dialer_;
  std::shared_ptr<Channel> channel_;
  std::optional<DescriptorWatch> life_line_;
  int dials_ = 0;
  bool welcomed_ = false;
  uint64_t answer_ns_ = 0;  // the launcher's clock in its last answer to a beat
  Timer dial_timer_{io_}, lease_timer_{io_}, beat_timer_{io_}, reap_timer_{io_}, abandoned_timer_{io_};
};

}  // namespace

int run_agent(const control::Bootstrap& bootstrap, const std::string& program) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const int number : {SIGPIPE, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) signal(number, SIG_IGN);
  if (getenv("SLURM_JOB_ID")) signal(SIGTERM, SIG_IGN);
  return AgentSession(bootstrap, program).run();
}

}  // namespace ds
