#include "agent/agent_session.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "agent/bootstrap.h"
#include "agent/channel.h"
#include "agent/dial.h"
#include "agent/event_loop.h"
#include "agent/generation_slot.h"
#include "agent/host_report.h"
#include "agent/job_folders.h"
#include "agent/lease.h"
#include "agent/leftovers.h"
#include "agent/proto/control.pb.h"
#include "agent/rank_environment.h"
#include "topology/base/error.h"

namespace ds {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using control::Envelope;

constexpr auto kDialLimit = milliseconds(3000);
constexpr auto kStartLimit = milliseconds(20000);   // StartGeneration -> the first sign of its ranks
constexpr auto kEndMargin = milliseconds(2000);     // beyond the grace; then the rank server is killed
constexpr auto kServerExitLimit = milliseconds(1000);
constexpr auto kSpareDelay = milliseconds(2000);    // the ranks that start now need the cores more
constexpr auto kKillLimit = milliseconds(3000);
constexpr auto kReapInterval = milliseconds(1000);
constexpr size_t kFullChannelBytes = 8u << 20;
constexpr uint32_t kFindByName = 0xffffffff;
constexpr uint32_t kDefaultLeaseMs = 20000, kDefaultBeatMs = 500, kDefaultGraceMs = 1000;

class AgentSession {
 public:
  AgentSession(const control::Bootstrap& bootstrap, std::string program)
      : bootstrap_(bootstrap), program_(std::move(program)), host_name_(own_host_name()), host_index_(bootstrap.host_index()),
        lease_(Clock::now(), milliseconds(bootstrap.lease_ms() ? bootstrap.lease_ms() : kDefaultLeaseMs)) {
    if (host_index_ == kFindByName) host_index_ = find_own_index(bootstrap, host_name_).value_or(kFindByName);
  }

  int run() {
    if (host_index_ != kFindByName) take_place();
    dial();
    watch_lease();
    reap_now_and_then();
    watch_termination();
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
    write_run_file(folders_->host_folder(), "agent", std::to_string(getpid()) + " " +
                   std::to_string(process_info(getpid()).value_or(ProcessInfo{}).start_time) + "\n");
    start_spare();
  }

  void dial() {
    const std::vector<std::string> addresses(bootstrap_.addresses().begin(), bootstrap_.addresses().end());
    dialer_.emplace(io_, addresses, static_cast<uint16_t>(bootstrap_.port()), kDialLimit,
                    [this](FileDescriptor socket, const std::string&) {
                      if (socket) {
                        const int fd = socket.release();
                        open_channel(fd, fd);
                        watch_life_line();
                      } else {
                        use_standard_streams();
                      }
                    });
  }

  // Only the launcher can reach us, not we it: the frames take the way that brought the bootstrap.
  void use_standard_streams() {
    const std::string marker = "\n" + bootstrap_.marker() + "\n";
    const ssize_t written = write(STDOUT_FILENO, marker.data(), marker.size());
    if (written != static_cast<ssize_t>(marker.size())) die("stdout is closed", 1);
    open_channel(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  }

  void open_channel(int read_fd, int write_fd) {
    channel_ = Channel::create(io_, read_fd, write_fd, ChannelRole::kAgent, bootstrap_.key());
    channel_->start([this](const Envelope& message) { handle(message); },
                    [this](const std::string& reason) { launcher_is_gone(reason); });
    send_hello();
    send_beat();
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
    life_line_.emplace(io_, STDIN_FILENO);
    life_line_->when_readable([this] {
      char bytes[256];
      const ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
      if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) return watch_life_line();
      life_line_.reset();
      if (!bootstrap_.elastic()) die("the launcher is gone (life line closed)", 1);
    });
  }

  void launcher_is_gone(const std::string& reason) {
    if (!bootstrap_.elastic()) die("the launcher is gone: " + reason, 1);
  }

  void watch_lease() {
    lease_timer_.after(lease_.expires() - Clock::now(), [this] {
      if (lease_.expired(Clock::now()))
        die("no answer from the launcher for " + std::to_string(lease_.silence(Clock::now()).count()) + " ms", 1);
      watch_lease();
    });
  }

  void send_beat() {
    Envelope message;
    message.mutable_beat()->set_time_ns(static_cast<uint64_t>(Clock::now().time_since_epoch().count()));
    double load = 0;
    if (getloadavg(&load, 1) == 1) message.mutable_beat()->set_load(load);
    channel_->send(message);
    beat_timer_.after(milliseconds(bootstrap_.beat_ms() ? bootstrap_.beat_ms() : kDefaultBeatMs), [this] { send_beat(); });
  }

  void answer_beat(const control::Beat& beat) {
    Envelope message;
    message.mutable_beat_ack()->set_time_ns(beat.time_ns());
    channel_->send(message);
  }

  // Under SLURM a cancelled step sends TERM to every process of it, ranks included, and the launcher decides what follows.
  // Elsewhere somebody wants this agent to end.
  void watch_termination() {
    if (getenv("SLURM_JOB_ID")) return;
    if (g_terminated) die("ended by SIGTERM", 143);
    termination_timer_.after(milliseconds(200), [this] { watch_termination(); });
  }

  void reap_now_and_then() {
    std::set<pid_t> known;
    if (spare_) known.insert(spare_->pid());
    if (slot_) known.insert(slot_->server->pid());
    reap_orphans(known);
    reap_timer_.after(kReapInterval, [this] { reap_now_and_then(); });
  }

  // ---- messages

  void handle(const Envelope& message) {
    switch (message.body_case()) {
      case Envelope::kWelcome: return welcomed(message.welcome());
      case Envelope::kReject: return die("the launcher refused this agent: " + message.reject().reason(), 2);
      case Envelope::kBeat: return answer_beat(message.beat());
      case Envelope::kBeatAck: return acknowledged(message.beat_ack());
      case Envelope::kDescribe: return describe_host();
      case Envelope::kCheckPaths: return look_at_paths(message.check_paths());
      case Envelope::kStart: return start_generation(message.start());
      case Envelope::kEnd: return end_generation(message.end());
      case Envelope::kShutdown: return shut_down();
      default: return pass_on(message);
    }
  }

  void welcomed(const control::Welcome& welcome) {
    if (host_index_ != kFindByName) return;
    host_index_ = welcome.host_index();
    take_place();
  }

  void acknowledged(const control::BeatAck& ack) {
    const auto sent = Clock::time_point(Clock::duration(static_cast<Clock::rep>(ack.time_ns())));
    lease_.acknowledged(sent, Clock::now());
  }

  void describe_host() {
    Envelope message;
    *message.mutable_host_report() = report_host();
    channel_->send(message);
  }

  void look_at_paths(const control::CheckPaths& wanted) {
    Envelope message;
    *message.mutable_path_report() = check_paths(wanted, host_name_);
    channel_->send(message);
  }

  void pass_on(const Envelope& message) {
    if (slot_ && slot_->server->running()) slot_->server->channel().send(message);
  }

  // ---- generations

  void start_spare() {
    if (spare_ || shutting_down_) return;
    spare_ = std::make_unique<RankServerLink>(
        io_, program_, bootstrap_.job(), host_index_,
        RankServerLink::Callbacks{[this](const Envelope& message) { from_server(message); }, [this] { server_ended(); }});
  }

  void start_generation(control::StartGeneration start) {
    if (slot_)
      return fail_agent("generation " + std::to_string(slot_->generation) + " is still running on " + host_name_ +
                        ", so " + std::to_string(start.generation()) + " cannot start", 1);
    try {
      prepare_files(start);
      start_spare();
    } catch (const Error& error) {
      return fail_agent(std::string(error.what()) + " (on " + host_name_ + ")", 1);
    }
    slot_.emplace();
    slot_->generation = start.generation();
    slot_->server = std::move(spare_);
    Envelope message;
    *message.mutable_start() = std::move(start);
    slot_->server->channel().send(message);
    deadline_.after(kStartLimit, [this] {
      fail_agent("the rank server on " + host_name_ + " has started nothing within 20 s; killing it", 98);
      slot_->server->kill();
    });
  }

  void prepare_files(control::StartGeneration& start) {
    folders_->create_generation(start.generation());
    start.set_run_folder(folders_->run_folder(start.generation()));
    start.set_memory_folder(folders_->memory_folder(start.generation()));
    for (const auto& file : start.files())
      write_run_file(start.run_folder(), file.name(), expand_run_folder(file.content(), start.run_folder()));
    start.clear_files();
    start.set_node(own_node(start));
  }

  uint32_t own_node(const control::StartGeneration& start) const {
    for (int node = 0; node < start.hosts_size() && start.ranks_size() > 0; ++node) {
      const auto ranks = ranks_of(start.hosts(node));
      if (std::find(ranks.begin(), ranks.end(), start.ranks(0).rank()) != ranks.end()) return static_cast<uint32_t>(node);
    }
    throw Error(ErrorCode::kInternal, "start: no host of the plan has the ranks sent to " + host_name_);
  }

  void from_server(const Envelope& message) {
    if (!slot_) return;
    if (message.has_ended()) {
      slot_->problem = message.ended().problem();
      deadline_.after(kServerExitLimit, [this] { slot_->server->kill(); });
      return;
    }
    if (message.has_started() || message.has_exited() || message.has_failed()) running();
    channel_->send(message);
    if (channel_->queued_bytes() > kFullChannelBytes) hold_server_back();
  }

  void running() {
    if (slot_->state != GenerationSlot::State::kStarting) return;
    slot_->state = GenerationSlot::State::kRunning;
    deadline_.cancel();
    if (bootstrap_.elastic()) spare_timer_.after(kSpareDelay, [this] { start_spare(); });
  }

  void hold_server_back() {
    slot_->server->channel().pause_reading(true);
    channel_->flush([this] {
      if (slot_) slot_->server->channel().pause_reading(false);
    });
  }

  void end_generation(const control::EndGeneration& end) {
    if (!slot_ || slot_->generation != end.generation()) return send_ended(end.generation(), "");
    slot_->state = GenerationSlot::State::kEnding;
    Envelope message;
    *message.mutable_end() = end;
    slot_->server->channel().send(message);
    const milliseconds grace(end.grace_ms() ? end.grace_ms() : kDefaultGraceMs);
    deadline_.after(grace + kEndMargin, [this] { slot_->server->kill(); });
  }

  void server_ended() {
    if (spare_ && !spare_->running()) return spare_ended();
    if (!slot_ || slot_->server->running()) return;
    deadline_.cancel();
    const bool expected = slot_->state == GenerationSlot::State::kEnding;
    const uint32_t generation = slot_->generation;
    std::string problem = slot_->problem;
    const std::string cause = slot_->server->cause_of_death();
    const pid_t pid = slot_->server->pid();
    retired_.push_back(std::move(slot_->server));
    slot_.reset();
    if (!expected)
      fail_agent("the rank server on " + host_name_ + " (pid " + std::to_string(pid) + ") died: " + cause +
                 "; its ranks were killed", 98);
    const std::string left = clean_up_generation(generation);
    if (!left.empty()) problem += (problem.empty() ? "" : "; ") + left;
    if (expected) send_ended(generation, problem);
    post(io_, [this] { retired_.clear(); });
    if (bootstrap_.elastic()) start_spare();
  }

  void spare_ended() {
    const std::string cause = spare_->cause_of_death();
    retired_.push_back(std::move(spare_));
    post(io_, [this] { retired_.clear(); });
    if (++spares_lost_ > 3) fail_agent("rank servers on " + host_name_ + " die before they get ranks: " + cause, 98);
  }

  std::string clean_up_generation(uint32_t generation) {
    std::set<pid_t> spared;
    if (spare_) spared.insert(spare_->pid());
    const std::string left = kill_leftovers({bootstrap_.job(), host_index_}, spared, spared, kKillLimit);
    folders_->remove_generation(generation);
    return left.empty() ? "" : "on " + host_name_ + " cannot be killed: " + left;
  }

  void send_ended(uint32_t generation, const std::string& problem) {
    Envelope message;
    message.mutable_ended()->set_generation(generation);
    message.mutable_ended()->set_problem(problem);
    channel_->send(message);
  }

  // ---- the end

  void fail_agent(const std::string& reason, int exit_code) {
    Envelope message;
    message.mutable_failed()->set_reason(reason);
    message.mutable_failed()->set_exit_code(exit_code);
    channel_->send(message);
  }

  void kill_everything() {
    shutting_down_ = true;
    JobMarker marker{bootstrap_.job(), host_index_ == kFindByName ? std::nullopt : std::optional(host_index_)};
    marker.with_servers = true;
    kill_leftovers(marker, {}, {}, kKillLimit);
    if (folders_) folders_->remove_all();
  }

  void shut_down() {
    kill_everything();
    channel_->flush([] { _exit(0); });
    deadline_.after(kServerExitLimit, [] { _exit(0); });
  }

  // At once and without the launcher: ranks first, words last.
  [[noreturn]] void die(const std::string& reason, int exit_code) {
    kill_everything();
    std::fprintf(stderr, "dsagent on %s: %s\n", host_name_.c_str(), reason.c_str());
    _exit(exit_code);
  }

  static inline volatile std::sig_atomic_t g_terminated = 0;

 public:
  static void on_terminate(int) { g_terminated = 1; }

 private:
  control::Bootstrap bootstrap_;
  std::string program_, host_name_;
  uint32_t host_index_;
  Lease lease_;
  boost::asio::io_context io_;
  std::optional<JobFolders> folders_;
  std::optional<Dialer> dialer_;
  std::shared_ptr<Channel> channel_;
  std::optional<DescriptorWatch> life_line_;
  Timer lease_timer_{io_}, beat_timer_{io_}, reap_timer_{io_}, termination_timer_{io_}, deadline_{io_}, spare_timer_{io_};
  std::unique_ptr<RankServerLink> spare_;
  std::optional<GenerationSlot> slot_;
  std::vector<std::unique_ptr<RankServerLink>> retired_;  // ended, but still on the call stack
  int spares_lost_ = 0;
  bool shutting_down_ = false;
};

}  // namespace

int run_agent(const control::Bootstrap& bootstrap, const std::string& program) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const int number : {SIGPIPE, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) signal(number, SIG_IGN);
  signal(SIGTERM, AgentSession::on_terminate);
  return AgentSession(bootstrap, program).run();
}

}  // namespace ds
