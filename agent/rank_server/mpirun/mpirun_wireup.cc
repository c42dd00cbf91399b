#include "agent/rank_server/mpirun/mpirun_wireup.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "agent/channel.h"
#include "agent/pipe.h"
#include "agent/process.h"
#include "agent/program_path.h"
#include "agent/rank_server/mpirun/mpirun_command.h"
#include "topology/base/error.h"

namespace ds {

static constexpr size_t kWordsKept = 2000;
static constexpr int kAborted = 1;

MpirunWireup::MpirunWireup(boost::asio::io_context& io, Options options, std::shared_ptr<Channel> channel)
    : io_(io), options_(std::move(options)), channel_(std::move(channel)) {
  listen();
}

MpirunWireup::~MpirunWireup() {
  for (auto& [caller, rank] : callers_) caller->close();
}

void MpirunWireup::listen() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = mpirun_socket(options_.folder);
  if (path.size() >= sizeof address.sun_path)
    throw Error(ErrorCode::kInternal, "mpirun: too long for a socket: " + path);
  path.copy(address.sun_path, path.size());
  socket_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket_ || bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket_.get(), 1024) != 0)
    throw Error(ErrorCode::kInternal, "mpirun: cannot listen at " + path + ": " + std::strerror(errno));
  watch_.emplace(io_, socket_.get());
  watch_->when_readable([this] { accept(); });
}

void MpirunWireup::accept() {
  watch_->when_readable([this] { accept(); });
  const int fd = accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  auto caller = Channel::create(io_, fd, fd, ChannelRole::kLauncher, "");
  callers_[caller];
  caller->start([this, weak = std::weak_ptr(caller)](const control::Envelope& message) {
                  if (const auto one = weak.lock()) take(one, message);
                },
                [this, weak = std::weak_ptr(caller)](const std::string&) {
                  if (const auto one = weak.lock()) closed(one);
                });
}

void MpirunWireup::take(const std::shared_ptr<Channel>& caller, const control::Envelope& message) {
  if (message.has_mpirun_rank()) return stand_in_came(caller, message.mpirun_rank());
  if (!message.has_run_daemon()) return;
  control::Envelope daemon = message;
  auto& body = *daemon.mutable_run_daemon();
  body.set_generation(start_.generation());
  body.set_node(static_cast<uint32_t>(start_.hosts_size()));
  for (int node = 0; node < start_.hosts_size(); ++node)
    if (mpirun_name(start_, node) == body.host()) body.set_node(static_cast<uint32_t>(node));
  if (body.node() == start_.node()) run_daemon(body);
  else channel_->send(daemon);
  control::Envelope answer;
  answer.mutable_left()->set_exit_code(body.node() < static_cast<uint32_t>(start_.hosts_size()) ? 0 : kAborted);
  caller->send(answer);
}

void MpirunWireup::stand_in_came(const std::shared_ptr<Channel>& caller, const control::MpirunRank& message) {
  callers_[caller] = message.rank();
  StandIn& one = stand_ins_[message.rank()];
  one.channel = caller;
  set_all(one.environment, {message.env().begin(), message.env().end()});
  for (const auto& rank : start_.ranks())
    if (!stand_ins_.count(rank.rank())) return;
  if (ready_) std::exchange(ready_, nullptr)("");
}

// mpirun ends the stand-ins when one of them failed, or on MPI_Abort; the ranks follow.
void MpirunWireup::closed(const std::shared_ptr<Channel>& caller) {
  const auto found = callers_.find(caller);
  if (found == callers_.end()) return;
  const std::optional<uint32_t> rank = found->second;
  post(io_, [caller] {});  // this runs inside its callback
  callers_.erase(found);
  if (rank && !stand_ins_[*rank].told) fail("mpirun ended the job", kAborted);
}

void MpirunWireup::prepare(const control::StartGeneration& start, std::function<void(std::string)> ready) {
  start_ = start;
  ready_ = std::move(ready);
  try {
    if (start_.node() == 0) start_mpirun();
  } catch (const Error& error) {
    std::exchange(ready_, nullptr)(error.what());
  }
}

Environment MpirunWireup::environment() const {
  const DaemonNetwork network{free_ports(options_.ports, PortUse::kServer, kPortsOfDaemon), options_.networks};
  return mpirun_environment(options_.inherited, options_.folder, options_.dsagent, network);
}

void MpirunWireup::start_mpirun() {
  const ProgramPath mpirun = find_program("mpirun", "/", options_.search_path);
  if (mpirun.exit_code) throw Error(ErrorCode::kUsage, "wireup=mpirun: no mpirun on the first host: " + mpirun.problem);
  const std::string hostfile = options_.folder + "/hosts";
  std::ofstream(hostfile) << sequential_hostfile(start_);
  Pipe out = make_pipe(), err = make_pipe();
  Command command;
  command.program = mpirun.path;
  command.argv = mpirun_argv(mpirun.path, start_, hostfile, options_.dsagent);
  command.env = assignments(environment());
  command.folder = options_.folder;
  command.stdout_fd = out.write.get();
  command.stderr_fd = err.write.get();
  mpirun_ = Process::start(command);
  out_ = relay(std::move(out.read), false);
  err_ = relay(std::move(err.read), true);
  mpirun_->watch(io_, [this](const ExitStatus&) { mpirun_ended(); });
}

// Programs that ranks spawn belong to mpirun, and so does their output: it is shown as rank 0's.
std::unique_ptr<OutputRelay> MpirunWireup::relay(FileDescriptor pipe, bool is_stderr) {
  return std::make_unique<OutputRelay>(
      io_, std::move(pipe), OutputRelay::Options{channel_}, [this, is_stderr](std::string lines, bool end) {
        if (is_stderr)
          last_words_ = (last_words_ + lines)
                            .substr(last_words_.size() + lines.size() > kWordsKept
                                        ? last_words_.size() + lines.size() - kWordsKept
                                        : 0);
        if (end || lines.empty() || (is_stderr && (any_ended_ || ready_))) return;  // its comments on ends are not news
        control::Envelope message;
        auto& body = *message.mutable_output();
        body.set_generation(start_.generation());
        body.set_is_stderr(is_stderr);
        body.set_data(std::move(lines));
        channel_->send(message);
      });
}

std::set<pid_t> MpirunWireup::children() const {
  return mpirun_ && mpirun_->running() ? std::set<pid_t>{mpirun_->pid()} : std::set<pid_t>{};
}

void MpirunWireup::mpirun_ended() {
  for (auto* stream : {out_.get(), err_.get()}) stream->drain();
  const std::string how = "mpirun ended with " + describe(*mpirun_->status());
  for (const auto& [rank, one] : stand_ins_)
    if (!one.told) return fail(how, mpirun_->status()->code ? mpirun_->status()->code : kAborted);
  if (ready_) fail(how, kAborted);
}

void MpirunWireup::fail(const std::string& problem, int status) {
  if (std::exchange(failed_, true)) return;
  const std::string text = problem + (last_words_.empty() ? "" : ": " + last_words_);
  if (ready_) return std::exchange(ready_, nullptr)(text);
  control::Envelope message;
  auto& body = *message.mutable_aborted();
  body.set_generation(start_.generation());
  body.set_rank(start_.ranks_size() ? start_.ranks(0).rank() : 0);
  body.set_status(status);
  body.set_message(text);
  channel_->send(message);
}

void MpirunWireup::extend(Environment& environment, uint32_t rank) {
  take_wiring(environment, stand_ins_[rank].environment);
}

void MpirunWireup::rank_ended(uint32_t rank, int exit_code) {
  any_ended_ = true;
  StandIn& one = stand_ins_[rank];
  one.told = true;
  if (!one.channel) return;
  control::Envelope message;
  message.mutable_left()->set_exit_code(exit_code);
  one.channel->send(message);
}

void MpirunWireup::handle(const control::Envelope& message) {
  if (message.has_run_daemon() && message.run_daemon().generation() == start_.generation())
    run_daemon(message.run_daemon());
}

void MpirunWireup::run_daemon(const control::RunDaemon& daemon) {
  Command command;
  command.program = "/bin/sh";
  command.argv = {"sh", "-c", daemon.command()};
  command.env = assignments(environment());
  command.folder = options_.folder;
  daemons_.push_back(Process::start(command));
}

}  // namespace ds
