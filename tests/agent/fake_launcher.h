// A launcher for tests: starts real dsagent programs on this machine, speaks the launcher's side of the protocol,
// collects fences, and remembers everything the agents said.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/channel.h"
#include "agent/file_descriptor.h"
#include "agent/process.h"
#include "agent/proto/control.pb.h"
#include "tests/support/places.h"

namespace ds {

class FakeLauncher {
 public:
  struct Options {
    int num_hosts = 1;
    bool reachable = true;  // false: the agents must use their standard streams
    bool elastic = false;
    uint32_t lease_ms = 60000;
    bool answers_beats = true;
    int hang_ups = 0;  // so many connections are closed before anything is said
  };

  explicit FakeLauncher(Options options);
  FakeLauncher() : FakeLauncher(Options()) {}
  ~FakeLauncher();  // kills the agents and sweeps

  struct Agent {
    std::unique_ptr<Process> process;
    FileDescriptor life_line;
    std::shared_ptr<Channel> channel;
    control::Hello hello;
    std::string channel_end;  // why it closed
  };

  const std::string& job() const { return job_; }
  Agent& agent(int host = 0) { return agents_[static_cast<size_t>(host)]; }
  boost::asio::io_context& io() { return io_; }

  // All waits run the event loop until `condition` holds; false after the limit.
  bool wait_until(const std::function<bool()>& condition, std::chrono::milliseconds limit = std::chrono::seconds(40));
  bool wait_joined();

  // One generation of `argvs.size()` ranks, dealt to the hosts in blocks.
  control::StartGeneration plan(uint32_t generation, const std::vector<std::vector<std::string>>& argvs,
                                const std::string& wireup = "none");
  void start(const control::StartGeneration& plan);  // sends each host its part
  void end(uint32_t generation, uint32_t grace_ms = 0);
  bool wait_ended(uint32_t generation);
  void send(const control::Envelope& message, int host = 0);

  // Starts, waits until all ranks have exited, ends; false if anything took too long.
  bool run(const control::StartGeneration& plan);
  void stop_listening() { acceptor_.close(); }
  void refuse_returns() { refuses_returns_ = true; }
  bool shut_down();  // true when all agents exited with 0
  std::string end_all(uint32_t generation);  // ends it and the agents; what went wrong or is left, "" = nothing

  // What the agents said.
  std::map<uint32_t, control::RankExited> exits;
  std::map<uint32_t, uint32_t> pids;
  std::map<uint32_t, std::string> out, err;
  std::map<uint32_t, uint64_t> input_taken;
  std::vector<control::RankAborted> aborts;
  std::vector<control::AgentFailed> failures;
  std::vector<control::RankConnected> connections;
  std::vector<control::Progress> progress;
  std::vector<control::GenerationEnded> ended;
  std::vector<control::HostReport> reports;
  std::vector<control::PathReport> path_reports;
  uint64_t output_messages_not_whole_lines = 0;
  size_t beats = 0;

  // Processes and files of this job on this machine, for "nothing is left".
  std::string troubles() const;  // failures that were reported and channels that ended, for messages of tests
  std::string leftovers() const;
  bool wait_clean(std::chrono::milliseconds limit = std::chrono::seconds(10));

 private:
  void start_agent(int host);
  void accept();
  void attach(std::shared_ptr<Channel> channel);
  void attach_stdio(int host, int read_fd, int write_fd);
  void handle(const std::shared_ptr<Channel>& channel, const control::Envelope& message);
  void handle_output(const control::Output& output);
  void collect(const control::Fence& fence);
  int host_of(const std::shared_ptr<Channel>& channel) const;

  Options options_;
  bool refuses_returns_ = false;
  std::string job_, key_;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::vector<Agent> agents_;
  std::vector<std::shared_ptr<Channel>> unknown_;  // not said Hello yet
  std::map<std::string, std::map<uint32_t, control::Fence>> fences_;
  std::map<std::string, control::Publish> published_;
};

using test::bin_folder;

}  // namespace ds
