// Wires ranks up through a real mpirun: for Open MPI installations that our PMIx server does not fit, for MPI_Comm_spawn,
// and for builds without libpmix.
//
// mpirun starts a stand-in per rank (dsagent --mpirun-rank), and its daemons through dsagent --mpirun-login, which asks us
// instead of ssh. A stand-in brings the environment that mpirun made for its rank and lives as long as the rank, which
// we start ourselves as always, with that environment added. So output, binding, signals and exit codes stay ours; what
// mpirun sees is a job whose ranks end as the real ones do.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "agent/environment.h"
#include "agent/event_loop.h"
#include "agent/file_descriptor.h"
#include "agent/output_relay.h"
#include "agent/proto/control.pb.h"
#include "agent/free_port.h"
#include "agent/networks.h"
#include "agent/rank_server/wireup.h"

namespace ds {

class Channel;
class Process;

class MpirunWireup final : public Wireup {
 public:
  struct Options {
    std::string folder;     // private and existing
    std::string dsagent;    // its path
    Environment inherited;  // of mpirun and its daemons
    std::string search_path;  // where mpirun is looked for
    PortRange ports{};        // of what the daemons listen on
    NetworkChoice networks{};
  };

  MpirunWireup(boost::asio::io_context& io, Options options, std::shared_ptr<Channel> channel);
  ~MpirunWireup() override;

  void prepare(const control::StartGeneration& start, std::function<void(std::string)> ready) override;
  void extend(Environment& environment, uint32_t rank) override;
  void handle(const control::Envelope& message) override;
  bool connected(uint32_t) const override { return false; }  // only mpirun knows
  bool finalized(uint32_t) const override { return false; }
  std::set<pid_t> children() const override;
  void rank_ended(uint32_t rank, int exit_code) override;

 private:
  struct StandIn {
    std::shared_ptr<Channel> channel;
    Environment environment;
    bool told = false;  // that its rank has ended
  };

  void listen();
  void accept();
  void take(const std::shared_ptr<Channel>& caller, const control::Envelope& message);
  void closed(const std::shared_ptr<Channel>& caller);
  void stand_in_came(const std::shared_ptr<Channel>& caller, const control::MpirunRank& message);
  void start_mpirun();
  Environment environment() const;  // of mpirun and its daemons
  void mpirun_ended();
  void run_daemon(const control::RunDaemon& daemon);
  void fail(const std::string& problem, int status);
  std::unique_ptr<OutputRelay> relay(FileDescriptor pipe, bool is_stderr);

  boost::asio::io_context& io_;
  Options options_;
  std::shared_ptr<Channel> channel_;  // to the agent, and the launcher behind it
  control::StartGeneration start_;
  std::function<void(std::string)> ready_;
  FileDescriptor socket_;
  std::optional<DescriptorWatch> watch_;
  std::map<std::shared_ptr<Channel>, std::optional<uint32_t>> callers_;  // with the rank that they stand for
  std::map<uint32_t, StandIn> stand_ins_;
  std::unique_ptr<Process> mpirun_;
  std::unique_ptr<OutputRelay> out_, err_;
  std::vector<std::unique_ptr<Process>> daemons_;
  std::string last_words_;  // of mpirun
  bool any_ended_ = false, failed_ = false;
};

}  // namespace ds
