#include "launcher/agent_fleet.h"

#include <algorithm>
#include <csignal>

#include "agent/authentication.h"
#include "agent/channel.h"
#include "agent/event_loop.h"
#include "agent/proto/control.pb.h"
#include "launcher/job_identity.h"
#include "launcher/listener.h"
#include "launcher/marker_scan.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::string with_length(const std::string& message) {
  std::string framed;
  for (int shift = 0; shift < 32; shift += 8) framed += static_cast<char>(message.size() >> shift & 0xff);
  return framed + message;
}

uint64_t now_ns() { return static_cast<uint64_t>(steady_clock::now().time_since_epoch().count()); }

}  // namespace

AgentFleet::AgentFleet(boost::asio::io_context& io, FleetOptions options, FleetEvents events)
    : io_(io), options_(std::move(options)), events_(std::move(events)), links_(options_.hosts.size()) {
  local_ = local_starter(options_.agent_here);
  remote_ = options_.slurm ? srun_starter(options_.agent_there) : ssh_starter(options_.ssh, options_.agent_there);
  beat_timer_ = std::make_unique<Timer>(io_);
  reach_timer_ = std::make_unique<Timer>(io_);
}

AgentFleet::~AgentFleet() {
  for (Link& link : links_)
    if (link.channel) link.channel->close();
  for (auto& [raw, channel] : strangers_) channel->close();
}

int AgentFleet::port() const { return listener_->port(); }

void AgentFleet::start() {
  bool all_local = std::all_of(options_.local.begin(), options_.local.end(), [](bool local) { return local; });
  listener_ = std::make_unique<Listener>(io_, all_local, options_.ports, [this](int fd) { accept(fd); });
  started_ = last_tick_ = steady_clock::now();
  start_helpers();
  reach_timer_->after(options_.reach_limit, [this] { check_reached(true); });
  beat_timer_->after(options_.beat, [this] { tick(); });
}

void AgentFleet::start_helpers() {
  std::vector<int> here, there;
  for (size_t host = 0; host < options_.hosts.size(); ++host)
    (options_.local[host] ? here : there).push_back(static_cast<int>(host));
  for (const AgentCommand& plan : local_->commands(options_.hosts, here)) start_helper(plan);
  for (const AgentCommand& plan : remote_->commands(options_.hosts, there)) start_helper(plan);
}

void AgentFleet::start_helper(const AgentCommand& plan) {
  std::string marker = "dslaunch-" + to_hex(random_bytes(12));
  Helper& helper = *helpers_.emplace_back(std::make_unique<Helper>());
  helper.plan = plan;
  helper.scan = std::make_unique<MarkerScan>(marker);
  HelperProcess::Events events{[this, &helper](const std::string& bytes) { take_stdout(helper, bytes); },
                               [this, &helper] { helper_ended(helper); }};
  helper.process = std::make_unique<HelperProcess>(io_, plan.command, std::move(events));
  helper.process->write_stdin(with_length(bootstrap_for(plan, marker)));
}

std::string AgentFleet::bootstrap_for(const AgentCommand& plan, const std::string& marker) const {
  control::Bootstrap bootstrap;
  bootstrap.set_protocol(kProtocolVersion);
  bootstrap.set_build(build_id());
  bootstrap.set_job(options_.job);
  bootstrap.set_key(options_.key);
  bootstrap.set_host_index(plan.finds_own_host ? 0xffffffffu : static_cast<uint32_t>(plan.hosts[0]));
  if (plan.finds_own_host)
    for (const Host& host : options_.hosts) bootstrap.add_host_names(host.name);
  if (plan.on_this_machine) bootstrap.add_addresses("127.0.0.1");
  else
    for (const std::string& address : options_.addresses) bootstrap.add_addresses(address);
  bootstrap.set_port(listener_->port());
  bootstrap.set_lease_ms(static_cast<uint32_t>(options_.agent_lease.count()));
  bootstrap.set_beat_ms(static_cast<uint32_t>(options_.beat.count()));
  bootstrap.set_marker(marker);
  return bootstrap.SerializeAsString();
}

void AgentFleet::take_stdout(Helper& helper, const std::string& bytes) {
  if (!helper.plan.carries_frames || !helper.scan->feed(bytes)) return;
  auto [read_fd, write_fd] = helper.process->take_streams();
  open_channel(read_fd, write_fd);
}

void AgentFleet::helper_ended(Helper& helper) {
  int waited = static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - started_).count());
  for (int host : helper.plan.hosts) {
    if (links_[host].joined) continue;
    ReachFailure failure = classify_reach_failure(options_.hosts[host].name, helper.process->said(),
                                                  helper.process->exit_code(), waited);
    links_[host].failure = failure.cause;
    failures_.push_back(failure);
  }
  check_reached(false);
  events_.on_change();
}

void AgentFleet::accept(int fd) { open_channel(fd, fd); }

void AgentFleet::open_channel(int read_fd, int write_fd) {
  std::shared_ptr<Channel> channel =
      Channel::create(io_, read_fd, write_fd, ChannelRole::kLauncher, options_.key);
  std::weak_ptr<Channel> weak = channel;
  strangers_[channel.get()] = channel;
  Channel* raw = channel.get();
  channel->start([this, weak](const control::Envelope& message) { first_message(weak, message); },
                 [this, raw](const std::string& reason) {
                   strangers_.erase(raw);
                   for (size_t host = 0; host < links_.size(); ++host)
                     if (links_[host].channel.get() == raw) return closed(static_cast<int>(host), reason);
                 });
}

void AgentFleet::first_message(std::weak_ptr<Channel> weak, const control::Envelope& message) {
  std::shared_ptr<Channel> channel = weak.lock();
  if (!channel) return;
  for (size_t host = 0; host < links_.size(); ++host)
    if (links_[host].channel == channel) return take(static_cast<int>(host), message);
  if (message.has_hello()) {
    strangers_.erase(channel.get());
    welcome(channel, message.hello());
  } else if (message.has_request()) {
    events_.on_request(channel, message.request());
  }
}

void AgentFleet::welcome(std::shared_ptr<Channel> channel, const control::Hello& hello) {
  control::Envelope answer;
  int host = static_cast<int>(hello.host_index());
  if (host < 0 || host >= static_cast<int>(links_.size()) || links_[host].joined) {
    answer.mutable_reject()->set_reason("no agent is expected from host " + hello.host_name());
  } else if (hello.protocol() != kProtocolVersion || hello.build() != build_id()) {
    std::string versions = "has build " + hello.build() + ", protocol " + std::to_string(hello.protocol()) + "; here " +
                           build_id() + ", " + std::to_string(kProtocolVersion);
    answer.mutable_reject()->set_reason(versions);
    links_[host].failure = versions;
    version_differs_ = true;
    failures_.push_back({options_.hosts[host].name, "another build of dslaunch", versions});
  }
  if (answer.has_reject()) {
    strangers_[channel.get()] = channel;  // until the other side closes it
    channel->send(answer);
    return check_reached(false);
  }
  Link& link = links_[host];
  link.channel = std::move(channel);
  link.joined = true;
  link.heard = steady_clock::now();
  answer.mutable_welcome()->set_host_index(static_cast<uint32_t>(host));
  link.channel->send(answer);
  check_reached(false);
  events_.on_change();
}

void AgentFleet::take(int host, const control::Envelope& message) {
  links_[host].heard = steady_clock::now();
  if (message.has_beat()) {
    control::Envelope answer;
    answer.mutable_beat_ack()->set_time_ns(message.beat().time_ns());
    return send(host, answer);
  }
  if (!message.has_beat_ack()) events_.on_message(host, message);
}

void AgentFleet::closed(int host, const std::string& reason) {
  std::shared_ptr<Channel> keep = links_[host].channel;  // this runs inside its callback
  post(io_, [keep] {});
  links_[host].channel.reset();
  if (!shutting_down_ && !links_[host].lost)
    lose(host, "the connection to its agent was closed" + (reason.empty() ? "" : ": " + reason), false);
  events_.on_change();
}

void AgentFleet::lose(int host, const std::string& cause, bool silent) {
  Link& link = links_[host];
  link.lost = true;
  if (link.channel) link.channel->close();
  link.channel.reset();
  release_helper(host, silent);
  sweep(host);
  events_.on_lost(host, cause);
}

// A helper that serves only this host is of no use any more. A silent one will not end by itself.
void AgentFleet::release_helper(int host, bool at_once) {
  for (auto& helper : helpers_) {
    if (helper->plan.hosts != std::vector<int>{host} || helper->process->ended()) continue;
    helper->process->close_stdin();
    if (at_once) helper->process->kill(SIGKILL);
  }
}

void AgentFleet::sweep(int host) {
  Sweep& sweep = *sweeps_.emplace_back(std::make_unique<Sweep>());
  sweep.host = host;
  sweep.timer = std::make_unique<Timer>(io_);
  auto finish = [this, &sweep, host] {
    if (sweep.done) return;
    sweep.done = true;
    sweep.process->kill(SIGKILL);
    release_helper(host, true);
    events_.on_change();
  };
  try {
    HelperProcess::Events events{{}, [this, finish] { post(io_, finish); }};
    sweep.process = std::make_unique<HelperProcess>(io_, starter_of(host).sweep(options_.hosts[host], options_.job),
                                                    std::move(events));
    sweep.timer->after(options_.sweep_limit, finish);
  } catch (const std::exception&) {  // the host cleans up by its own lease then
    sweep.done = true;
  }
}

const AgentStarter& AgentFleet::starter_of(int host) const { return options_.local[host] ? *local_ : *remote_; }

// A launcher that was stopped itself (Ctrl-Z, a busy machine) must not blame the agents for the silence.
void AgentFleet::tick() {
  auto now = steady_clock::now();
  auto late = now - last_tick_ - options_.beat;
  last_tick_ = now;
  beat_timer_->after(options_.beat, [this] { tick(); });
  control::Envelope beat;
  beat.mutable_beat()->set_time_ns(now_ns());
  for (size_t host = 0; host < links_.size(); ++host) {
    Link& link = links_[host];
    if (!link.channel || link.lost) continue;
    if (late > options_.beat) link.heard += late;
    link.channel->send(beat);
    auto silence = std::chrono::duration_cast<milliseconds>(now - link.heard);
    if (silence < options_.silence_limit || shutting_down_) continue;
    lose(static_cast<int>(host), "no sign of life for " + std::to_string(silence.count() / 1000) + " s", true);
    return;  // the callback may have changed everything
  }
}

void AgentFleet::check_reached(bool time_over) {
  if (told_unreachable_ || shutting_down_ || all_joined()) return;
  int waited = static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(options_.reach_limit).count());
  for (size_t host = 0; host < links_.size(); ++host) {
    if (links_[host].joined || !links_[host].failure.empty()) continue;
    if (!time_over) return;
    std::string said;
    for (auto& helper : helpers_)
      if (std::find(helper->plan.hosts.begin(), helper->plan.hosts.end(), host) != helper->plan.hosts.end())
        said = helper->process->said();
    failures_.push_back(classify_reach_failure(options_.hosts[host].name, said, -1, waited));
  }
  told_unreachable_ = true;
  events_.on_unreachable(failures_, version_differs_);
}

void AgentFleet::send(int host, const control::Envelope& message) {
  if (links_[host].channel) links_[host].channel->send(message);
}

void AgentFleet::send_all(const control::Envelope& message) {
  for (size_t host = 0; host < links_.size(); ++host) send(static_cast<int>(host), message);
}

size_t AgentFleet::queued_bytes(int host) const {
  return links_[host].channel ? links_[host].channel->queued_bytes() : 0;
}

bool AgentFleet::all_joined() const {
  return std::all_of(links_.begin(), links_.end(), [](const Link& link) { return link.joined; });
}

bool AgentFleet::is_alive(int host) const { return links_[host].joined && !links_[host].lost && links_[host].channel; }

int AgentFleet::num_alive() const {
  int alive = 0;
  for (size_t host = 0; host < links_.size(); ++host) alive += is_alive(static_cast<int>(host));
  return alive;
}

void AgentFleet::shutdown() {
  shutting_down_ = true;
  control::Envelope message;
  message.mutable_shutdown();
  for (size_t host = 0; host < links_.size(); ++host) send(static_cast<int>(host), message);
  for (auto& helper : helpers_) {
    bool any_joined = std::any_of(helper->plan.hosts.begin(), helper->plan.hosts.end(),
                                  [this](int host) { return links_[host].joined; });
    if (any_joined) continue;  // it hears Shutdown first, so that it ends in order
    helper->process->close_stdin();
    helper->process->kill(SIGTERM);
  }
}

bool AgentFleet::all_gone() const {
  for (const Link& link : links_)
    if (link.channel) return false;
  for (const auto& helper : helpers_)
    if (!helper->process->ended()) return false;
  return std::all_of(sweeps_.begin(), sweeps_.end(), [](const auto& sweep) { return sweep->done; });
}

std::string AgentFleet::who_is_left() const {
  std::vector<std::string> names;
  for (const auto& helper : helpers_) {
    if (helper->process->ended()) continue;
    for (int host : helper->plan.hosts) names.push_back(options_.hosts[host].name);
  }
  return join(names, ", ");
}

}  // namespace ds
