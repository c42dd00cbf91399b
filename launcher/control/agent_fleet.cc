#include "launcher/control/agent_fleet.h"

#include <algorithm>
#include <utility>

#include "agent/channel.h"
#include "agent/event_loop.h"
#include "agent/proto/control.pb.h"
#include "launcher/control/control_port.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using std::chrono::steady_clock;

constexpr size_t kMostPending = 1024;

uint64_t now_ns() { return static_cast<uint64_t>(steady_clock::now().time_since_epoch().count()); }

// Strangers may use a quarter of the descriptors; agents, logs and pipes have the rest.
size_t pending_limit(uint64_t open_files) {
  return static_cast<size_t>(std::clamp<uint64_t>(open_files / 4, 1, kMostPending));
}

}  // namespace

AgentFleet::AgentFleet(boost::asio::io_context& io, FleetOptions options, FleetEvents events)
    : io_(io),
      options_(std::move(options)),
      events_(std::move(events)),
      processes_(io, options_, files_.before(),
                 {[this](int read_fd, int write_fd) { port_->adopt(read_fd, write_fd); },
                  [this](const std::vector<int>& hosts, const std::string& said, int exit_code) {
                    process_ended(hosts, said, exit_code);
                  },
                  [this] { events_.on_change(); },
                  [this](int host, uint64_t kills) { events_.on_oom_kills(host, kills); }}),
      links_(options_.hosts.size()),
      reach_(io, options_.hosts, processes_.warm_hosts(), processes_.ssh_hosts(), options_.start,
             {[this](int host) { processes_.start(host); },
              [this](int host, const std::vector<int>& children) { ask_to_start(host, children); },
              [this](int host) { return processes_.said_about(host); },
              [this](const std::vector<std::string>& hosts, bool given_up) { events_.on_late(hosts, given_up); },
              [this](const std::vector<ReachFailure>& failures, bool version) {
                if (!shutting_down_) events_.on_unreachable(failures, version);
              }}),
      tick_timer_(std::make_unique<Timer>(io)),
      let_go_timer_(std::make_unique<Timer>(io)),
      own_(steady_clock::now(), options_.beat) {}

AgentFleet::~AgentFleet() {
  for (Link& link : links_)
    if (link.channel) link.channel->close();
}

int AgentFleet::port() const { return port_->port(); }

void AgentFleet::start() {
  own_.tick(steady_clock::now());
  open_port();
  if (options_.follows) {
    processes_.start_none(port());
    for (Link& link : links_) link.started_here = link.awaited = true;
  } else {
    processes_.start_others(port());
    reach_.go();
  }
  tick_timer_->at_next(options_.beat, [this] { tick(); });
}

void AgentFleet::open_port() {
  ControlPortOptions options;
  options.key = options_.key;
  options.loopback_only = std::all_of(options_.local.begin(), options_.local.end(), [](bool local) { return local; });
  options.ports = options_.ports;
  options.own_port = options_.own_port;  // taken by now: no agent comes back, all of them are swept
  options.pending_limit = pending_limit(files_.now());
  ControlPortEvents events;
  events.on_hello = [this](const std::shared_ptr<Channel>& channel, const control::Hello& hello) {
    return welcome(channel, hello);
  };
  events.on_message = [this](int host, const control::Envelope& message) { take(host, message); };
  events.on_closed = [this](int host, const std::string& reason) { closed(host, reason); };
  events.on_request = events_.on_request;
  events.on_refused = events_.on_refused;
  port_ = std::make_unique<ControlPort>(io_, std::move(options), std::move(events));
}

// ---- joining

void AgentFleet::process_ended(const std::vector<int>& hosts, const std::string& said, int exit_code) {
  for (int host : hosts) {
    if (links_[host].again) not_back(host, said.empty() ? "its start ended with " + std::to_string(exit_code) : said);
    else if (!links_[host].started_here) reach_.start_ended(host, said, exit_code);
  }
  events_.on_change();
}

std::optional<int> AgentFleet::welcome(const std::shared_ptr<Channel>& channel, const control::Hello& hello) {
  int host = static_cast<int>(hello.host_index());
  control::Envelope answer;
  if (std::string reason = reason_to_reject(host, hello); !reason.empty()) {
    answer.mutable_reject()->set_reason(reason);
    channel->send(answer);
    return std::nullopt;
  }
  Link& link = links_[host];
  link.channel = channel;
  link.joined = true;
  if (hello.resumed()) link.kept_generation = static_cast<int>(hello.generation());
  link.contact.emplace(options_, steady_clock::now());
  answer.mutable_welcome()->set_host_index(hello.host_index());
  channel->send(answer);
  if (!link.started_here) reach_.joined(host);
  if (std::exchange(link.again, std::nullopt)) events_.on_return(host, "");
  events_.on_change();
  return host;
}

std::string AgentFleet::reason_to_reject(int host, const control::Hello& hello) {
  if (host < 0 || host >= static_cast<int>(links_.size()) || links_[host].joined ||
      links_[host].awaited != hello.resumed())
    return "no agent is expected from host " + hello.host_name();
  if (hello.protocol() == kProtocolVersion && hello.build() == build_id()) return "";
  std::string versions = "has build " + hello.build() + ", protocol " + std::to_string(hello.protocol()) + "; here " +
                         build_id() + ", " + std::to_string(kProtocolVersion);
  if (!links_[host].started_here) reach_.rejected(host, versions);
  return versions;
}

void AgentFleet::ask_to_start(int host, const std::vector<int>& children) {
  control::Envelope message;
  for (int child : children) {
    control::AgentStart& start = *message.mutable_start_agents()->add_starts();
    start.set_host_index(static_cast<uint32_t>(child));
    for (const std::string& word : processes_.command_from_elsewhere(child)) start.add_argv(word);
  }
  send(host, message);
}

// What brought the agent of this host up is of no use any more.
void AgentFleet::release(int host, bool at_once) {
  const std::optional<int> starter = links_[host].started_here ? std::nullopt : reach_.starter(host);
  if (!starter) return processes_.release(host, at_once);
  control::Envelope message;
  message.mutable_end_start()->set_host_index(static_cast<uint32_t>(host));
  message.mutable_end_start()->set_at_once(at_once);
  send(*starter, message);
}

// ---- contact

void AgentFleet::take(int host, const control::Envelope& message) {
  links_[host].contact->heard(steady_clock::now());
  if (message.has_beat()) return answer_beat(links_[host], message.beat());
  if (message.has_start_ended()) return start_ended(message.start_ended());
  events_.on_message(host, message);
}

// A process on the host of another agent that had started one.
void AgentFleet::start_ended(const control::AgentStartEnded& ended) {
  const int host = static_cast<int>(ended.host_index());
  if (ended.host_index() >= links_.size()) return;
  reach_.start_ended(host, ended.said(), ended.exit_code());
  events_.on_change();
}

void AgentFleet::answer_beat(Link& link, const control::Beat& beat) {
  const steady_clock::duration seen(static_cast<steady_clock::rep>(beat.answer_ns()));
  if (beat.answer_ns() != 0) link.contact->answer_seen(steady_clock::time_point(seen), steady_clock::now());
  if (!beat.wants_answer()) return;
  control::Envelope answer;
  answer.mutable_beat_ack()->set_time_ns(beat.time_ns());
  answer.mutable_beat_ack()->set_own_ns(now_ns());
  if (link.channel) link.channel->send(answer);
}

// An agent whose lease ended while the launcher itself was stopped is not to blame.
std::string AgentFleet::cause_of_end(const std::string& reason) const {
  const auto standstill = std::chrono::duration_cast<std::chrono::seconds>(own_.longest(steady_clock::now()));
  if (standstill > options_.agent_lease / 2)
    return "dslaunch itself stood still for " + std::to_string(standstill.count()) +
           " s, and its agent ended without it";
  return "the connection to its agent was closed" + (reason.empty() ? "" : ": " + reason);
}

void AgentFleet::closed(int host, const std::string& reason) {
  std::shared_ptr<Channel> keep = links_[host].channel;  // this runs inside its callback
  post(io_, [keep] {});
  links_[host].channel.reset();
  if (!shutting_down_ && !links_[host].lost) lose(host, cause_of_end(reason), false);
  if (shutting_down_) let_go_of_dead_hosts();
  events_.on_change();
}

// After the others have had a second to end by themselves; who takes nothing in notices it with its next beat.
void AgentFleet::let_go_of_dead_hosts() {
  let_go_timer_->after(options_.beat + std::chrono::seconds(1), [this] {
    processes_.kill_shared([this](int host) { return !links_[host].channel; },
                           [this](int host) { return links_[host].lost; });
  });
}

void AgentFleet::lose(int host, const std::string& cause, bool silent) {
  Link& link = links_[host];
  link.lost = true;
  if (link.channel) link.channel->close();
  link.channel.reset();
  release(host, silent);
  if (!link.started_here) reach_.lost(host);
  processes_.sweep(host);
  events_.on_lost(host, cause);
}

// ---- hosts that come back

void AgentFleet::start_again(int host) {
  Link& link = links_[host];
  link = Link{};
  link.started_here = true;
  link.again = steady_clock::now() + options_.sweep_limit + options_.start.each;
  processes_.start_again(host);
}

void AgentFleet::not_back(int host, const std::string& problem) {
  Link& link = links_[host];
  link.again.reset();
  link.lost = true;
  processes_.release(host, true);
  events_.on_return(host, problem);
}

// A launcher that was stopped itself (Ctrl-Z, a busy machine) must not blame the agents for the silence.
void AgentFleet::tick() {
  const auto now = steady_clock::now();
  const auto late = own_.tick(now);
  tick_timer_->at_next(options_.beat, [this] { tick(); });
  for (size_t host = 0; host < links_.size(); ++host) {
    Link& link = links_[host];
    if (link.again && now >= *link.again && !shutting_down_)
      not_back(static_cast<int>(host), "no answer in " + std::to_string(options_.start.each.count() / 1000) + " s");
    if (!link.channel || link.lost || shutting_down_) continue;
    if (late > late.zero()) link.contact->excuse(late, now);
    std::string fault = link.contact->fault(now, link.channel->queued_bytes());
    if (!fault.empty()) lose(static_cast<int>(host), fault, true);
  }
}

void AgentFleet::send(int host, const control::Envelope& message) {
  if (links_[host].channel) links_[host].channel->send(message);
}

void AgentFleet::send_serialized(int host, const std::string& envelope) {
  if (links_[host].channel) links_[host].channel->send_serialized(envelope);
}

void AgentFleet::send_all(const control::Envelope& message) {
  std::string envelope = message.SerializeAsString();
  for (size_t host = 0; host < links_.size(); ++host) send_serialized(static_cast<int>(host), envelope);
}

// Hosts on this machine came over loopback: others know it by the address that their agents have reached.
std::vector<std::string> AgentFleet::contact_addresses() const {
  std::vector<std::string> addresses(links_.size());
  std::string own;
  for (size_t host = 0; host < links_.size(); ++host) {
    if (options_.local[host] || !links_[host].channel) continue;
    addresses[host] = links_[host].channel->peer_host();
    own = links_[host].channel->own_host();
  }
  for (size_t host = 0; host < links_.size(); ++host)
    if (options_.local[host]) addresses[host] = own;
  return addresses;
}

bool AgentFleet::is_alive(int host) const { return links_[host].joined && !links_[host].lost && links_[host].channel; }

// ---- the end

void AgentFleet::shutdown() {
  shutting_down_ = true;
  reach_.stop();
  for (size_t host = 0; host < links_.size(); ++host)
    if (!links_[host].joined && reach_.starter(static_cast<int>(host))) release(static_cast<int>(host), true);
  control::Envelope message;
  message.mutable_shutdown();
  send_all(message);
  for (size_t host = 0; host < links_.size(); ++host)
    if (links_[host].awaited && !links_[host].joined) processes_.sweep(static_cast<int>(host));
  processes_.end_those_without([this](int host) { return links_[host].joined; });
  let_go_of_dead_hosts();
  port_->tell_rest();
}

bool AgentFleet::all_joined() const {
  return std::all_of(links_.begin(), links_.end(), [](const Link& link) { return link.joined; });
}

bool AgentFleet::all_gone() const {
  return processes_.all_gone() &&
         std::all_of(links_.begin(), links_.end(), [](const Link& link) { return !link.channel; });
}

std::string AgentFleet::who_is_left() const {
  std::vector<std::string> names;
  for (int host : processes_.hosts_left()) names.push_back(options_.hosts[host].name);
  return join(names, ", ");
}

}  // namespace ds
