#include "tests/agent/fake_launcher.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "agent/authentication.h"
#include "agent/bootstrap.h"
#include "agent/environment.h"
#include "agent/leftovers.h"
#include "tests/support/places.h"

namespace ds {

using control::Envelope;
using Clock = std::chrono::steady_clock;
namespace asio = boost::asio;

static std::string new_job_id() {
  std::string id = "test-" + std::to_string(getpid()) + "-";
  for (const unsigned char c : random_bytes(6)) id += static_cast<char>('a' + c % 26);
  return id;
}

FakeLauncher::FakeLauncher(Options options)
    : options_(options),
      job_(new_job_id()),
      key_(random_bytes(32)),
      acceptor_(io_, {asio::ip::make_address("127.0.0.1"), 0}) {
  signal(SIGPIPE, SIG_IGN);
  fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
  accept();
  agents_.resize(static_cast<size_t>(options.num_hosts));
  for (int host = 0; host < options.num_hosts; ++host) start_agent(host);
}

FakeLauncher::~FakeLauncher() {
  for (auto& agent : agents_) {
    agent.life_line.reset();
    if (agent.channel) agent.channel->close();
    if (agent.process && !agent.process->wait(std::chrono::seconds(10))) agent.process->signal(SIGKILL);
  }
  Command sweep;
  sweep.program = bin_folder() + "/dsagent";
  sweep.argv = {"dsagent", "--sweep", job_};
  sweep.env = assignments(own_environment());
  Process::start(sweep)->wait(std::chrono::seconds(10));
}

void FakeLauncher::start_agent(int host) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) std::abort();
  FileDescriptor child_in(in[0]), child_out(out[1]), our_out(out[0]);
  Command command;
  command.program = bin_folder() + "/dsagent";
  command.argv = {"dsagent"};
  command.env = assignments(own_environment());
  command.stdin_fd = child_in.get();
  command.stdout_fd = child_out.get();
  command.stderr_fd = STDERR_FILENO;
  auto& agent = agents_[static_cast<size_t>(host)];
  agent.process = Process::start(command);
  agent.life_line.reset(in[1]);
  control::Bootstrap bootstrap;
  bootstrap.set_protocol(kProtocolVersion);
  bootstrap.set_build(build_id());
  bootstrap.set_job(job_);
  bootstrap.set_key(key_);
  bootstrap.set_host_index(static_cast<uint32_t>(host));
  if (options_.reachable) bootstrap.add_addresses("127.0.0.1");
  bootstrap.set_port(acceptor_.local_endpoint().port());
  bootstrap.set_elastic(options_.elastic);
  bootstrap.set_lease_ms(options_.lease_ms);
  bootstrap.set_beat_ms(100);
  bootstrap.set_marker("marker-of-the-test");
  const std::string bytes = encode_bootstrap(bootstrap);
  if (write(in[1], bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  if (!options_.reachable) attach_stdio(host, our_out.release(), agent.life_line.release());
}

void FakeLauncher::attach_stdio(int, int read_fd, int write_fd) {
  std::string seen;
  const std::string marker = "\nmarker-of-the-test\n";
  char byte;
  while (!seen.ends_with(marker) && read(read_fd, &byte, 1) == 1) seen += byte;
  attach(Channel::create(io_, read_fd, write_fd, ChannelRole::kLauncher, key_));
}

void FakeLauncher::accept() {
  acceptor_.async_accept([this](const boost::system::error_code& error, asio::ip::tcp::socket socket) {
    if (error) return;
    if (options_.hang_ups-- > 0) {
      socket.close();
      return accept();
    }
    const int fd = socket.release();
    attach(Channel::create(io_, fd, fd, ChannelRole::kLauncher, key_));
    accept();
  });
}

void FakeLauncher::attach(std::shared_ptr<Channel> channel) {
  unknown_.push_back(channel);
  channel->start([this, raw = std::weak_ptr(channel)](const Envelope& message) { handle(raw.lock(), message); },
                 [this, raw = std::weak_ptr(channel)](const std::string& reason) {
                   if (const int host = host_of(raw.lock()); host >= 0) agent(host).channel_end = reason;
                 });
}

int FakeLauncher::host_of(const std::shared_ptr<Channel>& channel) const {
  for (size_t i = 0; i < agents_.size(); ++i)
    if (channel && agents_[i].channel == channel) return static_cast<int>(i);
  return -1;
}

void FakeLauncher::handle(const std::shared_ptr<Channel>& channel, const Envelope& message) {
  Envelope answer;
  switch (message.body_case()) {
    case Envelope::kHello: {
      if (refuses_returns_ && message.hello().resumed()) {
        answer.mutable_reject()->set_reason("the test wants it so");
        return channel->send(answer);
      }
      auto& agent = agents_.at(message.hello().host_index());
      agent.channel = channel;
      agent.hello = message.hello();
      answer.mutable_welcome()->set_host_index(message.hello().host_index());
      return channel->send(answer);
    }
    case Envelope::kBeat:
      ++beats;
      if (!message.beat().wants_answer()) return;
      answer.mutable_beat_ack()->set_time_ns(message.beat().time_ns());
      return options_.answers_beats ? channel->send(answer) : void();
    case Envelope::kStarted:
      for (const auto& rank : message.started().ranks()) pids[rank.rank()] = rank.pid();
      return;
    case Envelope::kExited:
      exits[message.exited().rank()] = message.exited();
      return;
    case Envelope::kOutput:
      return handle_output(message.output());
    case Envelope::kAborted:
      aborts.push_back(message.aborted());
      return;
    case Envelope::kFailed:
      failures.push_back(message.failed());
      return;
    case Envelope::kConnected:
      connections.push_back(message.connected());
      return;
    case Envelope::kProgress:
      progress.push_back(message.progress());
      return;
    case Envelope::kEnded:
      ended.push_back(message.ended());
      return;
    case Envelope::kHostReport:
      reports.push_back(message.host_report());
      return;
    case Envelope::kPathReport:
      path_reports.push_back(message.path_report());
      return;
    case Envelope::kInputTaken:
      input_taken[message.input_taken().rank()] = message.input_taken().bytes();
      return;
    case Envelope::kFence:
      return collect(message.fence());
    case Envelope::kModex:
      return send(message, static_cast<int>(message.modex().owner_node()));
    case Envelope::kModexDone:
      return send(message, static_cast<int>(message.modex_done().asking_node()));
    case Envelope::kPublish:
      if (message.publish().remove())
        published_.erase(message.publish().key());
      else
        published_[message.publish().key()] = message.publish();
      answer.mutable_publish_done()->set_id(message.publish().id());
      answer.mutable_publish_done()->set_node(message.publish().node());
      return send(answer, static_cast<int>(message.publish().node()));
    case Envelope::kLookup: {
      auto& body = *answer.mutable_lookup_done();
      body.set_id(message.lookup().id());
      body.set_node(message.lookup().node());
      if (const auto found = published_.find(message.lookup().key()); found != published_.end()) {
        body.set_found(true);
        body.set_value(found->second.value());
        body.set_rank(found->second.rank());
      }
      return channel->send(answer);
    }
    default:
      return;
  }
}

void FakeLauncher::handle_output(const control::Output& output) {
  (output.is_stderr() ? err : out)[output.rank()] += output.data();
  if (!output.end() && !output.data().ends_with('\n')) ++output_messages_not_whole_lines;
}

void FakeLauncher::collect(const control::Fence& fence) {
  auto& arrived = fences_[fence.key()];
  arrived[fence.node()] = fence;
  if (arrived.size() < static_cast<size_t>(fence.nodes_size())) return;
  Envelope done;
  done.mutable_fence_done()->set_generation(fence.generation());
  done.mutable_fence_done()->set_key(fence.key());
  for (const auto& [node, one] : arrived) done.mutable_fence_done()->mutable_data()->append(one.data());
  for (const uint32_t node : fence.nodes()) send(done, static_cast<int>(node));
  fences_.erase(fence.key());
}

bool FakeLauncher::wait_until(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  while (!condition()) {
    if (Clock::now() >= deadline) return false;
    io_.restart();
    io_.run_one_for(std::chrono::milliseconds(20));
  }
  return true;
}

bool FakeLauncher::wait_joined() {
  return wait_until([this] {
    for (const auto& agent : agents_)
      if (!agent.channel) return false;
    return true;
  });
}

control::StartGeneration FakeLauncher::plan(uint32_t generation, const std::vector<std::vector<std::string>>& argvs,
                                            const std::string& wireup) {
  control::StartGeneration start;
  const uint32_t size = static_cast<uint32_t>(argvs.size()), hosts = static_cast<uint32_t>(options_.num_hosts);
  start.set_generation(generation);
  start.set_name_space(job_ + "-" + std::to_string(generation));
  start.set_world_size(size);
  start.set_wireup(wireup);
  start.set_launcher_cwd("/");
  start.set_stdin_rank(-1);
  const uint32_t per_host = (size + hosts - 1) / hosts;
  for (uint32_t rank = 0; rank < size; ++rank) {
    if (rank % per_host == 0) {
      auto& host = *start.add_hosts();
      host.set_name("host" + std::to_string(rank / per_host));
      host.set_first_rank(rank);
      host.add_addresses("127.0.0.1");
    }
    auto& host = *start.mutable_hosts(start.hosts_size() - 1);
    host.set_num_ranks(host.num_ranks() + 1);
    auto& spec = *start.add_ranks();
    spec.set_rank(rank);
    spec.set_host_index(rank / per_host);
    spec.set_local_rank(rank % per_host);
    for (const auto& argument : argvs[rank]) spec.add_argv(argument);
  }
  return start;
}

void FakeLauncher::start(const control::StartGeneration& plan) {
  for (int host = 0; host < plan.hosts_size(); ++host) {
    Envelope message;
    auto& part = *message.mutable_start();
    part = plan;
    part.clear_ranks();
    for (const auto& rank : plan.ranks())
      if (static_cast<int>(rank.host_index()) == host) *part.add_ranks() = rank;
    send(message, host);
  }
}

void FakeLauncher::end(uint32_t generation, uint32_t grace_ms) {
  Envelope message;
  message.mutable_end()->set_generation(generation);
  message.mutable_end()->set_grace_ms(grace_ms);
  for (int host = 0; host < options_.num_hosts; ++host) send(message, host);
}

std::string FakeLauncher::end_all(uint32_t generation) {
  end(generation);
  if (!wait_ended(generation)) return "generation " + std::to_string(generation) + " does not end; " + troubles();
  return shut_down() ? leftovers() : "an agent did not exit with 0; " + troubles();
}

bool FakeLauncher::wait_ended(uint32_t generation) {
  return wait_until([&] {
    int count = 0;
    for (const auto& one : ended) count += one.generation() == generation;
    return count == options_.num_hosts;
  });
}

void FakeLauncher::send(const Envelope& message, int host) {
  if (agent(host).channel) agent(host).channel->send(message);
}

bool FakeLauncher::run(const control::StartGeneration& plan) {
  start(plan);
  const bool over =
      wait_until([&] { return exits.size() == static_cast<size_t>(plan.ranks_size()) || !failures.empty(); });
  end(plan.generation());
  return wait_ended(plan.generation()) && over && failures.empty();
}

bool FakeLauncher::shut_down() {
  Envelope message;
  message.mutable_shutdown();
  for (int host = 0; host < options_.num_hosts; ++host) send(message, host);
  bool good = wait_until([&] {
    for (auto& agent : agents_)
      if (!agent.process->wait(std::chrono::milliseconds(1))) return false;
    return true;
  });
  for (auto& agent : agents_) good = good && agent.process->status() && agent.process->status()->code == 0;
  return good;
}

std::string FakeLauncher::troubles() const {
  std::string text;
  for (const auto& failure : failures) text += "failed: " + failure.reason() + "; ";
  for (const auto& agent : agents_)
    if (!agent.channel_end.empty()) text += "channel: " + agent.channel_end + "; ";
  return text.empty() ? "no failure reported" : text;
}

std::string FakeLauncher::leftovers() const {
  std::string text;
  JobMarker marker{job_, std::nullopt};
  marker.with_servers = true;
  for (const auto& process : all_processes()) {
    const bool marked = started_with(process.pid, std::string(kVariableJob) + "=" + job_) ||
                        started_with(process.pid, std::string(kServerVariable) + "=" + job_);
    if (process.state != 'Z' && marked) text += "process " + std::to_string(process.pid) + " " + process.name + "\n";
  }
  for (const char* folder : {"/dev/shm", "/tmp"}) {
    std::error_code error;
    for (std::filesystem::directory_iterator it(folder, error), last; !error && it != last; it.increment(error))
      if (it->path().string().find(job_) != std::string::npos) text += it->path().string() + "\n";
  }
  const std::string run_folder = "/tmp/dsl-" + std::to_string(getuid()) + "/" + job_;
  if (std::filesystem::exists(run_folder)) text += run_folder + "\n";
  return text;
}

bool FakeLauncher::wait_clean(std::chrono::milliseconds limit) {
  return wait_until([this] { return leftovers().empty(); }, limit);
}

}  // namespace ds
