// An agent without a host: speaks the agent's side of the protocol over a real socket, starts nothing, and can be slow
// in the ways that matter. Many of them make a large job on one machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/dial.h"
#include "agent/event_loop.h"
#include "agent/lease.h"

namespace ds {

class Channel;
namespace control {
class Envelope;
class StartGeneration;
}  // namespace control

namespace testing {

// What all agents of a simulation saw. Times of day in nanoseconds, so that other processes can compare them.
struct SimulationRecord {
  int64_t first_hello_ns = 0, last_start_ns = 0;  // first Hello sent; last StartGeneration received
  std::vector<double> beat_ms;  // Beat to BeatAck from 2 s after the start of ranks, of agents that are not slow
  std::vector<std::string> ends;                  // connections that the launcher ended: "host: reason"
};

struct SimulatedAgentOptions {
  uint32_t host_index = 0;
  std::string host_name, key;
  uint16_t port = 0;
  std::chrono::milliseconds beat{1000}, lease{20000};
  std::chrono::milliseconds ranks_live{0};  // from their start to their exit with 0
  bool deaf = false;                        // reads nothing once its ranks run, but goes on sending beats
  std::chrono::milliseconds late{0};        // handles each message so much later
};

class SimulatedAgent {
 public:
  // `gone`: once, when the launcher said Shutdown or ended the connection for good.
  SimulatedAgent(boost::asio::io_context& io, SimulatedAgentOptions options, SimulationRecord& record,
                 std::function<void()> gone);
  ~SimulatedAgent();

 private:
  void dial();
  void open(int fd);
  void closed(const std::string& reason);
  void send_beat();
  void take(const control::Envelope& message);
  void handle(const control::Envelope& message);
  void start(const control::StartGeneration& start);
  void end_ranks();
  void report_host();
  void leave();
  bool is_settled() const;
  bool slow() const { return options_.deaf || options_.late.count() > 0; }

  boost::asio::io_context& io_;
  SimulatedAgentOptions options_;
  SimulationRecord& record_;
  std::function<void()> gone_;
  std::optional<Dialer> dialer_;
  std::shared_ptr<Channel> channel_;
  Timer beat_timer_, ranks_timer_, redial_timer_;
  std::vector<std::unique_ptr<Timer>> late_;  // messages that wait to be handled
  std::vector<uint32_t> ranks_;
  uint32_t generation_ = 0;
  std::chrono::steady_clock::time_point started_;
  bool welcomed_ = false;
  Lease lease_;
  uint64_t answer_ns_ = 0;
};

}  // namespace testing
}  // namespace ds
