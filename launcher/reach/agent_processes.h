// The processes that bring the agents of a job onto its hosts (dsagent here, ssh, srun), and those that clean up on a
// host whose agent is gone.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "launcher/reach/agent_starter.h"
#include "launcher/options/fleet_options.h"

namespace boost::asio {
class io_context;
}

namespace ds {

class MarkerScan;
class Timer;

struct AgentProcessEvents {
  std::function<void(int read_fd, int write_fd)> on_streams;  // an agent speaks over the streams of its process
  std::function<void(const std::vector<int>& hosts, const std::string& said, int exit_code)> on_end;
  std::function<void()> on_swept;
  std::function<void(int host, uint64_t oom_kills)> on_oom_kills;  // says a sweep of that host: so many until now
};

class AgentProcesses {
 public:
  // `options` is borrowed. `open_files`: the soft limit of descriptors that agents get.
  AgentProcesses(boost::asio::io_context& io, const FleetOptions& options, uint64_t open_files,
                 AgentProcessEvents events);
  ~AgentProcesses();  // kills what is left

  // Hosts that are started one by one, each by a process of its own: through a resident agent, or by ssh.
  const std::vector<int>& warm_hosts() const { return warm_; }
  const std::vector<int>& ssh_hosts() const { return by_ssh_; }
  void start_none(int port);    // of the launcher; instead of start_others: every host by start_again, if at all
  void start_others(int port);  // of the launcher: this machine, and all of a Slurm allocation
  void start(int host);         // one of the single ones; after start_others. Again: a warm one then by ssh
  // An agent that is gone or never came; one at a time, whatever brought it up before. What is left there goes first:
  // an agent that was cut off and does not know it yet would take ranks of the new one for its own.
  void start_again(int host);
  // The command line that brings up the agent of such a host from another one.
  std::vector<std::string> command_from_elsewhere(int host) const;
  // Processes that serve only this host are of no use any more. At once: it will not end by itself.
  void release(int host, bool at_once);
  // Ends the processes none of whose hosts has an agent that would hear a Shutdown.
  void end_those_without(const std::function<bool(int host)>& has_agent);
  // Kills commands that started several agents of which all are gone and some were lost: those may wait for dead hosts.
  void kill_shared(const std::function<bool(int host)>& gone, const std::function<bool(int host)>& lost);
  void sweep(int host, std::function<void()> then = {});  // `then`: when it has ended or its time is up

  bool was_swept(int host) const { return swept_.count(host) != 0; }  // and nothing was left

  std::string said_about(int host) const;  // the end of its process's stderr
  bool all_gone() const;
  std::vector<int> hosts_left() const;

 private:
  struct Helper {
    AgentCommand plan;
    std::unique_ptr<HelperProcess> process;
    std::unique_ptr<MarkerScan> scan;
    bool superseded = false;  // another one brings up this host now
  };
  struct Sweep {
    std::unique_ptr<HelperProcess> process;
    std::unique_ptr<Timer> timer;
    bool done = false;
  };

  void start_one(const AgentCommand& plan);
  std::string bootstrap_for(const AgentCommand& plan, const std::string& marker) const;
  void take_stdout(Helper& helper, const std::string& bytes);
  bool is_warm(size_t host) const;
  const AgentStarter& starter_of(int host) const;

  boost::asio::io_context& io_;
  const FleetOptions& options_;
  uint64_t open_files_;
  AgentProcessEvents events_;
  std::unique_ptr<AgentStarter> local_, remote_, resident_;
  std::vector<int> warm_, by_ssh_;
  std::set<int> called_, by_ssh_again_;  // warm hosts: their resident agent was called; that failed, ssh took its place
  std::set<int> swept_;
  int port_ = 0;
  bool ending_ = false;
  std::vector<std::unique_ptr<Helper>> helpers_;
  std::vector<std::unique_ptr<Sweep>> sweeps_;
};

}  // namespace ds
