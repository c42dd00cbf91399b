#include "tests/launcher/simulated_agent.h"

#include <utility>

#include "agent/channel.h"
#include "agent/proto/control.pb.h"

namespace ds::testing {
namespace {

using control::Envelope;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kDialLimit{10000}, kRedialPause{100}, kSettling{2000};
constexpr uint32_t kCores = 4;

int64_t time_of_day_ns() { return std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

uint64_t now_ns() { return static_cast<uint64_t>(steady_clock::now().time_since_epoch().count()); }

steady_clock::time_point time_of(uint64_t ns) { return steady_clock::time_point(std::chrono::nanoseconds(ns)); }

}  // namespace

SimulatedAgent::SimulatedAgent(boost::asio::io_context& io, SimulatedAgentOptions options, SimulationRecord& record,
                               std::function<void()> gone)
    : io_(io),
      options_(std::move(options)),
      record_(record),
      gone_(std::move(gone)),
      beat_timer_(io),
      ranks_timer_(io),
      redial_timer_(io),
      lease_(steady_clock::now(), options_.lease) {
  dial();
}

SimulatedAgent::~SimulatedAgent() {
  if (channel_) channel_->close();
}

void SimulatedAgent::dial() {
  dialer_.emplace(io_, std::vector<std::string>{"127.0.0.1"}, options_.port, kDialLimit,
                  [this](FileDescriptor socket, const std::string& reasons) {
                    if (socket) open(socket.release());
                    else closed(reasons);
                  });
}

void SimulatedAgent::open(int fd) {
  channel_ = Channel::create(io_, fd, fd, ChannelRole::kAgent, options_.key);
  channel_->start([this](const Envelope& message) { take(message); },
                  [this](const std::string& reason) { closed(reason); });
  Envelope message;
  control::Hello& hello = *message.mutable_hello();
  hello.set_protocol(kProtocolVersion);
  hello.set_build(build_id());
  hello.set_host_index(options_.host_index);
  hello.set_host_name(options_.host_name);
  if (record_.first_hello_ns == 0) record_.first_hello_ns = time_of_day_ns();
  channel_->send(message);
  send_beat();
}

// Not known yet: as a real agent, once more.
void SimulatedAgent::closed(const std::string& reason) {
  beat_timer_.cancel();
  if (!welcomed_) return redial_timer_.after(kRedialPause, [this] { dial(); });
  record_.ends.push_back(options_.host_name + ": " + reason);
  leave();
}

void SimulatedAgent::send_beat() {
  Envelope message;
  message.mutable_beat()->set_time_ns(now_ns());
  message.mutable_beat()->set_wants_answer(lease_.wants_renewal(steady_clock::now()));
  message.mutable_beat()->set_answer_ns(answer_ns_);
  channel_->send(message);
  beat_timer_.after(options_.beat, [this] { send_beat(); });
}

void SimulatedAgent::take(const Envelope& message) {
  if (options_.late.count() == 0) return handle(message);
  Timer& timer = *late_.emplace_back(std::make_unique<Timer>(io_));
  timer.after(options_.late, [this, message] { handle(message); });
}

void SimulatedAgent::handle(const Envelope& message) {
  Envelope answer;
  switch (message.body_case()) {
    case Envelope::kWelcome:
      welcomed_ = true;
      return;
    case Envelope::kBeatAck:
      answer_ns_ = message.beat_ack().own_ns();
      lease_.acknowledged(time_of(message.beat_ack().time_ns()), steady_clock::now());
      if (is_settled() && !slow())
        record_.beat_ms.push_back(1e-6 * static_cast<double>(now_ns() - message.beat_ack().time_ns()));
      return;
    case Envelope::kDescribe:
      return report_host();
    case Envelope::kStart:
      return start(message.start());
    case Envelope::kSignal:
      return end_ranks();
    case Envelope::kEnd:
      answer.mutable_ended()->set_generation(message.end().generation());
      return channel_->send(answer);
    case Envelope::kShutdown:
      return leave();
    default:
      return;
  }
}

// What the start of a generation held up is over.
bool SimulatedAgent::is_settled() const { return generation_ && steady_clock::now() - started_ > kSettling; }

void SimulatedAgent::report_host() {
  Envelope answer;
  control::HostReport& report = *answer.mutable_host_report();
  report.set_host_name(options_.host_name);
  for (uint32_t core = 0; core < kCores; ++core) report.add_cores(core);
  report.add_addresses(options_.host_name);
  channel_->send(answer);
}

void SimulatedAgent::start(const control::StartGeneration& start) {
  record_.last_start_ns = time_of_day_ns();
  started_ = steady_clock::now();
  generation_ = start.generation();
  Envelope answer;
  answer.mutable_started()->set_generation(generation_);
  for (const control::RankSpec& spec : start.ranks()) {
    control::StartedRank& rank = *answer.mutable_started()->add_ranks();
    rank.set_rank(spec.rank());
    rank.set_pid(1000 + spec.rank());
    ranks_.push_back(spec.rank());
  }
  channel_->send(answer);
  if (options_.deaf) return channel_->pause_reading(true);
  ranks_timer_.after(options_.ranks_live, [this] { end_ranks(); });
}

void SimulatedAgent::end_ranks() {
  for (uint32_t rank : std::exchange(ranks_, {})) {
    Envelope message;
    message.mutable_exited()->set_generation(generation_);
    message.mutable_exited()->set_rank(rank);
    channel_->send(message);
  }
}

void SimulatedAgent::leave() {
  beat_timer_.cancel();
  ranks_timer_.cancel();
  channel_->close();
  if (gone_) std::exchange(gone_, nullptr)();
}

}  // namespace ds::testing
