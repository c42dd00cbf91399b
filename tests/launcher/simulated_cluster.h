// Makes dslaunch see a Slurm allocation of any size whose hosts are all simulated by one process (simulated_agent.h).
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace ds::testing {

struct SimulatedClusterOptions {
  int num_hosts = 200;
  std::chrono::milliseconds ranks_live{0};  // every rank exits with 0 after so long
  int deaf_host = -1;                       // its agent reads nothing once its ranks run
  int late_host = -1;                       // its agent handles each message `late` later
  std::chrono::milliseconds late{300};
};

class SimulatedCluster {
 public:
  explicit SimulatedCluster(const SimulatedClusterOptions& options);
  ~SimulatedCluster();
  SimulatedCluster(const SimulatedCluster&) = delete;

  // For the environment of dslaunch. Each host has one slot.
  const std::map<std::string, std::string>& environment() const { return environment_; }
  static std::string host_name(int host);
  std::string output() const { return folder_ + "/out"; }           // for --output: events.jsonl
  std::string report_path() const { return folder_ + "/report"; }  // what the agents saw, JSON, once all are gone

 private:
  std::string folder_;
  std::map<std::string, std::string> environment_;
};

}  // namespace ds::testing
