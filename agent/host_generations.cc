#include "agent/host_generations.h"

#include <algorithm>
#include <utility>

#include "agent/leftovers.h"
#include "agent/proto/control.pb.h"
#include "agent/rank_environment.h"
#include "topology/base/error.h"

namespace ds {

using control::Envelope;
using std::chrono::milliseconds;

static constexpr auto kStartLimit = milliseconds(20000);  // StartGeneration -> the first sign of its ranks
static constexpr auto kEndMargin = milliseconds(2000);    // beyond the grace; then the rank server is killed
static constexpr auto kExitLimit = milliseconds(1000);    // GenerationEnded -> the rank server is gone
static constexpr auto kSpareDelay = milliseconds(2000);   // the ranks that start now need the cores more
static constexpr auto kKillLimit = milliseconds(3000);
static constexpr uint32_t kDefaultGraceMs = 1000;
static constexpr size_t kFullChannelBytes = 8u << 20;
static constexpr int kMostSparesLost = 3;
static constexpr int kHostLost = 98;

HostGenerations::HostGenerations(boost::asio::io_context& io, Options options, const JobFolders& folders)
    : io_(io), options_(std::move(options)), folders_(folders), deadline_(io), spare_timer_(io),
      watch_(io, [this] { return ask_server(); }, [this] { server_is_silent(); }) {}

HostGenerations::~HostGenerations() = default;

void HostGenerations::start_spare() {
  if (spare_) return;
  spare_ = std::make_unique<RankServerLink>(
      io_, options_.program, options_.job, options_.host_index, options_.ports,
      RankServerLink::Callbacks{[this](const Envelope& message) { from_server(message); },
                                [this] { some_server_ended(); }});
}

void HostGenerations::connect(std::shared_ptr<Channel> launcher) {
  launcher_ = std::move(launcher);
  if (held_) return;
  for (std::string& message : std::exchange(unsent_, {})) launcher_->send_serialized(std::move(message));
}

uint32_t HostGenerations::hold() {
  held_ = true;
  if (!current_) return 0;
  current_->server->channel().pause_reading(true);
  return current_->generation;
}

void HostGenerations::resume(uint32_t generation) {
  if (!held_) return;
  held_ = false;
  if (generation == 0) return give_up_current();
  if (!current_ || current_->generation != generation) {
    unsent_.clear();
    return send_ended(generation, "its ranks ended while there was no launcher");
  }
  for (const std::string& fact : current_->facts) launcher_->send_serialized(fact);
  current_->taken_before = current_->output_bytes;
  for (std::string& message : std::exchange(unsent_, {})) {
    Envelope envelope;
    if (envelope.ParseFromString(message)) forward(envelope);
  }
  Envelope again;
  again.mutable_resume()->set_generation(generation);
  current_->server->channel().send(again);
  if (current_->taken_before > 0) {  // nobody else will say that these bytes are gone
    Envelope taken;
    taken.mutable_output_taken()->set_generation(generation);
    taken.mutable_output_taken()->set_bytes(current_->taken_before);
    current_->server->channel().send(taken);
  }
  current_->server->channel().pause_reading(false);
}

void HostGenerations::give_up_current() {
  unsent_.clear();
  if (!current_) return;
  deadline_.cancel();
  watch_.stop();
  const auto ended = std::move(current_);
  ended->server->kill();
  ended->server->wait(kExitLimit);
  retire(std::move(ended->server));
  if (const std::string left = clean_up(ended->generation, false); !left.empty())
    fail(left, kHostLost, Blame::kHost);
}

bool HostGenerations::end_quickly() {
  if (current_) return false;
  if (!spare_) return true;
  spare_->kill();
  return spare_->wait(kExitLimit);
}

std::set<pid_t> HostGenerations::server_pids() const {
  std::set<pid_t> pids;
  if (spare_) pids.insert(spare_->pid());
  if (current_) pids.insert(current_->server->pid());
  return pids;
}

void HostGenerations::send(const Envelope& message) {
  if (!launcher_ || held_) unsent_.push_back(message.SerializeAsString());
  else launcher_->send(message);
}

// From the server of the current generation.
void HostGenerations::forward(const Envelope& message) {
  if (message.has_output()) current_->output_bytes += message.output().data().size();
  launcher_->send_soon(message);
}

void HostGenerations::fail(const std::string& reason, int exit_code, Blame blame) {
  Envelope message;
  message.mutable_failed()->set_reason(reason);
  message.mutable_failed()->set_exit_code(exit_code);
  message.mutable_failed()->set_host_fault(blame == Blame::kHost);
  message.mutable_failed()->set_out_of_memory(blame == Blame::kMemory);
  send(message);
}

void HostGenerations::send_ended(uint32_t generation, const std::string& problem) {
  Envelope message;
  message.mutable_ended()->set_generation(generation);
  message.mutable_ended()->set_problem(problem);
  send(message);
}

// ---- start

void HostGenerations::start(control::StartGeneration start) {
  if (current_)
    return fail("generation " + std::to_string(current_->generation) + " still runs on " + options_.host_name +
                    ", so " + std::to_string(start.generation()) + " cannot start",
                1, Blame::kEvent);
  try {
    prepare_files(start);
    start_spare();
  } catch (const Error& error) {
    return fail(std::string(error.what()) + " (on " + options_.host_name + ")", exit_status(error.code()),
                Blame::kHost);
  }
  hand_over(std::move(start));
}

void HostGenerations::prepare_files(control::StartGeneration& start) const {
  start.set_node(own_node(start));
  folders_.create_generation(start.generation());
  start.set_run_folder(folders_.run_folder(start.generation()));
  start.set_memory_folder(folders_.memory_folder(start.generation()));
  for (const auto& file : start.files()) write_run_file(start.run_folder(), file.name(), file.content());
  start.clear_files();
}

uint32_t HostGenerations::own_node(const control::StartGeneration& start) const {
  for (int node = 0; node < start.hosts_size() && start.ranks_size() > 0; ++node) {
    const auto ranks = ranks_of(start.hosts(node));
    if (std::find(ranks.begin(), ranks.end(), start.ranks(0).rank()) != ranks.end()) return static_cast<uint32_t>(node);
  }
  throw Error(ErrorCode::kInternal, "start: no host of the plan has the ranks that were sent here");
}

void HostGenerations::hand_over(control::StartGeneration start) {
  current_ = std::make_unique<Current>();
  current_->generation = start.generation();
  current_->server = std::move(spare_);
  Envelope message;
  *message.mutable_start() = std::move(start);
  current_->server->channel().send(message);
  deadline_.after(kStartLimit, [this] {
    fail("the rank server on " + options_.host_name + " has started nothing within 20 s and is killed", kHostLost,
         Blame::kHost);
    current_->server->kill();
  });
}

// ---- messages

void HostGenerations::pass_on(const Envelope& message) {
  if (!current_ || !current_->server->running()) return;
  if (!message.has_output_taken() || current_->taken_before == 0) return current_->server->channel().send(message);
  Envelope since_the_first = message;
  since_the_first.mutable_output_taken()->set_bytes(message.output_taken().bytes() + current_->taken_before);
  current_->server->channel().send(since_the_first);
}

void HostGenerations::from_server(const Envelope& message) {
  if (!current_) return;
  if (message.has_beat_ack()) return watch_.answered();
  if (message.has_ended()) {
    current_->confirmed = true;
    current_->problem = message.ended().problem();
    deadline_.after(kExitLimit, [this] { current_->server->kill(); });
    return;
  }
  if (message.has_started() || message.has_exited() || message.has_failed()) sign_of_life();
  const bool fact = message.has_started() || message.has_connected() || message.has_exited() || message.has_aborted();
  if (fact && options_.elastic) current_->facts.push_back(message.SerializeAsString());
  if (!held_) forward(message);
  else if (!fact) return unsent_.push_back(message.SerializeAsString());  // was under way when the launcher went
  if (launcher_->queued_bytes() > kFullChannelBytes) hold_server_back();
}

void HostGenerations::sign_of_life() {
  if (current_->state != State::kStarting) return;
  current_->state = State::kRunning;
  deadline_.cancel();
  watch_.start();
  if (options_.elastic) spare_timer_.after(kSpareDelay, [this] { start_spare(); });
}

bool HostGenerations::ask_server() {
  Envelope question;
  question.mutable_beat()->set_wants_answer(true);
  current_->server->channel().send(question);
  return current_->server->channel().reads();
}

void HostGenerations::server_is_silent() {
  fail("the rank server on " + options_.host_name + " has not answered for 15 s and is killed", kHostLost,
       Blame::kHost);
  current_->server->kill();
}

void HostGenerations::hold_server_back() {
  current_->server->channel().pause_reading(true);
  launcher_->flush([this] {
    if (current_ && !held_) current_->server->channel().pause_reading(false);
  });
}

// ---- end

void HostGenerations::end(const control::EndGeneration& end) {
  if (!current_ || current_->generation != end.generation()) return send_ended(end.generation(), "");
  current_->state = State::kEnding;
  watch_.stop();
  Envelope message;
  *message.mutable_end() = end;
  current_->server->channel().send(message);
  const milliseconds grace(end.grace_ms() ? end.grace_ms() : kDefaultGraceMs);
  deadline_.after(milliseconds(end.trace_ms()) + grace + kEndMargin, [this] { current_->server->kill(); });
}

void HostGenerations::some_server_ended() {
  if (current_ && !current_->server->running()) current_ended();
  if (spare_ && !spare_->running()) spare_ended();
}

void HostGenerations::spare_ended() {
  const std::string cause = spare_->cause_of_death();
  retire(std::move(spare_));
  if (++spares_lost_ > kMostSparesLost)
    fail("rank servers on " + options_.host_name + " die before they get ranks: " + cause, kHostLost, Blame::kHost);
}

void HostGenerations::current_ended() {
  deadline_.cancel();
  watch_.stop();
  const auto ended = std::move(current_);
  const std::string cause = ended->server->cause_of_death();
  const Blame blame = ended->server->ran_out_of_memory() ? Blame::kMemory : Blame::kEvent;
  const pid_t pid = ended->server->pid();
  retire(std::move(ended->server));
  if (ended->state != State::kEnding)
    fail("the rank server on " + options_.host_name + " (pid " + std::to_string(pid) + ") died by " + cause +
             "; its ranks were killed",
         kHostLost, blame);
  std::string problem = ended->problem;
  const std::string left = clean_up(ended->generation, ended->confirmed && ended->problem.empty());
  if (!left.empty()) problem += (problem.empty() ? "" : "; ") + left;
  if (ended->state == State::kEnding) send_ended(ended->generation, problem);
}

void HostGenerations::retire(std::unique_ptr<RankServerLink> server) {
  retired_.push_back(std::move(server));
  post(io_, [this] { retired_.clear(); });
}

// A server that confirmed the end has looked for leftovers itself; looking takes milliseconds on a busy host.
std::string HostGenerations::clean_up(uint32_t generation, bool confirmed) {
  const auto spared = server_pids();
  std::string left;
  if (!confirmed) {
    JobMarker marker{options_.job, options_.host_index};
    marker.apart = options_.others();
    std::set<pid_t> known = spared;
    known.merge(std::set<pid_t>(marker.apart));
    left = kill_leftovers(marker, spared, known, kKillLimit);
  }
  folders_.remove_generation(generation);
  return left.empty() ? "" : "cannot kill on " + options_.host_name + ": " + left;
}

}  // namespace ds
