#include "agent/rank_server/local_generation.h"

#include <csignal>

#include "agent/channel.h"
#include "agent/elf_needed.h"
#include "agent/oom_kills.h"
#include "agent/proto/control.pb.h"
#include "topology/base/error.h"

namespace ds {

using std::chrono::milliseconds;

static constexpr auto kProgressInterval = milliseconds(200);
static constexpr auto kKillRound = milliseconds(3);
static constexpr auto kKillDeadline = milliseconds(8000);

LocalGeneration::LocalGeneration(boost::asio::io_context& io, std::shared_ptr<Channel> channel, Wireup& wireup,
                                 const Environment& inherited, const control::StartGeneration& start,
                                 RankSurroundings surroundings, Action on_ended)
    : io_(io),
      channel_(std::move(channel)),
      wireup_(wireup),
      inherited_(inherited),
      start_(std::make_unique<control::StartGeneration>(start)),
      surroundings_(std::move(surroundings)),
      marker_{surroundings_.job, surroundings_.host_index},
      on_ended_(std::move(on_ended)),
      output_window_(start.output_window()),
      grace_(io),
      kill_round_(io),
      progress_(io) {}

LocalGeneration::~LocalGeneration() = default;

void LocalGeneration::begin() {
  wireup_.prepare(*start_, [this](const std::string& problem) { wired_up(problem); });
}

void LocalGeneration::wired_up(const std::string& problem) {
  if (state_ != State::kPreparing) return;
  std::vector<RankCommand> commands;
  try {
    if (!problem.empty()) throw Error(ErrorCode::kInternal, problem);
    // One that cannot be started fails the generation, so the others are not started for nothing.
    if (!make_commands(commands)) return;
    start_ranks(std::move(commands));
  } catch (const Error& error) {
    for (const auto& rank : start_->ranks()) refuse(rank.rank(), 1, error.what(), problem.empty());
  }
}

bool LocalGeneration::make_commands(std::vector<RankCommand>& commands) {
  bool good = true;
  const Environment shared = shared_environment(inherited_, *start_);
  RankSurroundings surroundings = surroundings_;
  for (const auto& spec : start_->ranks()) {
    auto block = std::make_unique<RankBlockFile>(start_->memory_folder(), spec.rank());
    surroundings.block_path = block->path();
    Environment environment = shared;
    add_rank_environment(environment, *start_, spec, surroundings);
    wireup_.extend(environment, spec.rank());
    commands.push_back(rank_command(*start_, spec, std::move(environment)));
    const auto& command = commands.back();
    if (command.exit_code) refuse(spec.rank(), command.exit_code, command.problem, false);
    good &= command.exit_code == 0;
    const bool takes_input = start_->stdin_rank() == -2 || start_->stdin_rank() == static_cast<int32_t>(spec.rank());
    LocalRank::Options options{.generation = start_->generation(),
                               .rank = spec.rank(),
                               .merge_stderr = start_->merge_stderr(),
                               .takes_input = takes_input,
                               .terminal = !start_->training(),
                               .unfinished = start_->unfinished_lines() && (takes_input || start_->world_size() == 1),
                               .channel = channel_,
                               .output_window = &output_window_};
    ranks_.push_back(std::make_unique<LocalRank>(io_, std::move(options), std::move(block)));
    programs_.push_back(command.command.program);
  }
  return good;
}

void LocalGeneration::refuse(uint32_t rank, int exit_code, const std::string& problem, bool host_fault) {
  control::Envelope message;
  auto& body = *message.mutable_exited();
  body.set_generation(start_->generation());
  body.set_rank(rank);
  body.set_exit_code(exit_code);
  body.set_start_error(problem);
  body.set_host_fault(host_fault);
  channel_->send(message);
}

void LocalGeneration::start_ranks(std::vector<RankCommand> commands) {
  state_ = State::kRunning;
  oom_kills_before_ = oom_kills();
  start_threads_.run(ranks_.size(), [&](size_t i) { ranks_[i]->start(std::move(commands[i].command)); });
  for (const auto& rank : ranks_) rank->watch([this](LocalRank& ended) { rank_ended(ended); });
  send_started();
  if (start_->training()) watch_progress();
}

void LocalGeneration::send_started() {
  control::Envelope message;
  auto& body = *message.mutable_started();
  body.set_generation(start_->generation());
  for (const auto& rank : ranks_) {
    auto& one = *body.add_ranks();
    one.set_rank(rank->rank());
    one.set_pid(static_cast<uint32_t>(rank->process().pid()));
  }
  channel_->send(message);
}

// The end of a process is seen at once; that it finalized before may still wait its turn in the loop.
void LocalGeneration::rank_ended(LocalRank& rank) {
  if (state_ != State::kRunning || wireup_.finalized(rank.rank())) return rank_exited(rank);
  ++untold_ends_;
  post(io_, [this, &rank, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) return;
    --untold_ends_;
    rank_exited(rank);
  });
}

void LocalGeneration::rank_exited(LocalRank& rank) {
  if (start_->training()) send_progress(rank);  // its last steps, ahead of its end
  control::Envelope message;
  auto& body = *message.mutable_exited();
  rank.fill_exit(body);
  body.set_out_of_memory(body.signal() == SIGKILL && oom_kills() > oom_kills_before_);
  body.set_connected(wireup_.connected(rank.rank()));
  body.set_finalized(wireup_.finalized(rank.rank()));
  for (size_t i = 0; i < ranks_.size(); ++i)
    if (ranks_[i].get() == &rank) body.set_links_mpi(program_links_mpi(programs_[i]));
  channel_->send_soon(message);
  wireup_.rank_ended(rank.rank(), body.signal() ? 128 + body.signal() : body.exit_code());
  if (state_ == State::kStopping && !any_running()) kill_rest();
}

bool LocalGeneration::program_links_mpi(const std::string& program) {
  const auto [known, first] = links_mpi_.try_emplace(program, false);
  if (first) known->second = links_mpi(program);
  return known->second;
}

void LocalGeneration::send_progress(LocalRank& rank) {
  control::Envelope message;
  auto& body = *message.mutable_progress();
  if (!rank.sampler().look(rank.block(), rank.running() ? rank.process().pid() : 0, body)) return;
  body.set_generation(start_->generation());
  body.set_rank(rank.rank());
  channel_->send(message);
}

void LocalGeneration::watch_progress() {
  for (const auto& rank : ranks_) send_progress(*rank);
  progress_.at_next(kProgressInterval, [this] { watch_progress(); });
}

void LocalGeneration::reap() { reap_orphans(children()); }

void LocalGeneration::input(const control::Input& input) {
  for (const auto& rank : ranks_) rank->input(input.data(), input.end());
}

void LocalGeneration::send_to_ranks(int number) {
  for (const auto& rank : ranks_)
    if (rank->running()) rank->process().signal_group(number);
}

void LocalGeneration::signal(int number) {
  if (state_ == State::kRunning || state_ == State::kStopping) send_to_ranks(number);
}

void LocalGeneration::end(milliseconds grace, milliseconds trace_limit) {
  if (trace_limit == milliseconds(0) || traces_ || state_ != State::kRunning) return end_now(grace);
  std::vector<TracedRank> running;
  for (const auto& rank : ranks_)
    if (rank->running()) running.push_back({rank->rank(), rank->process().pid()});
  traces_ = std::make_unique<StackTraces>(io_, channel_, [this](uint32_t rank, std::string lines) {
    control::Envelope message;
    auto& body = *message.mutable_output();
    body.set_generation(start_->generation());
    body.set_rank(rank);
    body.set_is_stderr(true);
    body.set_data(std::move(lines));
    channel_->send(message);
  });
  traces_->take(running, trace_limit, [this, grace] { end_now(grace); });
}

void LocalGeneration::end_now(milliseconds grace) {
  if (state_ == State::kKilling || state_ == State::kEnded) return;
  const bool first = state_ != State::kStopping;
  state_ = State::kStopping;
  if (!any_running()) return kill_rest();
  if (first) {
    send_to_ranks(SIGCONT);
    send_to_ranks(SIGTERM);
  }
  grace_.after(grace, [this] { kill_rest(); });
}

bool LocalGeneration::any_running() const {
  for (const auto& rank : ranks_)
    if (rank->running()) return true;
  return false;
}

std::set<pid_t> LocalGeneration::children() const {
  std::set<pid_t> pids = wireup_.children();
  for (const auto& rank : ranks_)
    if (rank->started()) pids.insert(rank->process().pid());
  return pids;
}

// In rounds: what is killed may have forked in between. Ranks leave through their own watch, so that their exit is
// told.
void LocalGeneration::kill_rest() {
  if (state_ == State::kEnded) return;
  const auto now = std::chrono::steady_clock::now();
  if (state_ != State::kKilling) kill_deadline_ = now + kKillDeadline;
  state_ = State::kKilling;
  grace_.cancel();
  send_to_ranks(SIGKILL);
  const auto left = find_leftovers(marker_, {});
  for (const auto& process : left) signal_exactly(process, SIGKILL);
  const bool alone = reap_orphans(children());
  if (left.empty() && alone && !any_running() && untold_ends_ == 0) return ended("");
  if (now < kill_deadline_) {
    kill_round_.after(kKillRound, [this] { kill_rest(); });
    return;
  }
  std::string text = "cannot kill within 8 s:";
  for (const auto& process : left)
    text += " pid " + std::to_string(process.pid) + " (" + process.name + ", state " + process.state + ")";
  ended(text);
}

void LocalGeneration::ended(const std::string& problem) {
  state_ = State::kEnded;
  progress_.cancel();
  for (const auto& rank : ranks_) rank->finish_output();
  control::Envelope message;
  message.mutable_ended()->set_generation(start_->generation());
  message.mutable_ended()->set_problem(problem);
  channel_->send(message);
  on_ended_();
}

}  // namespace ds
