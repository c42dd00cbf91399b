// What the launcher of an elastic training job leaves behind for the one that may follow it (docs/elastic.md): which ranks
// run where, and from what the next generation is planned. Part of the job file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "launcher/elastic/elastic_world.h"

namespace ds {

struct Job;
struct LaunchPlan;

struct Handover {
  int generation = 0;
  bool stepping = false;          // its ranks have trained: they need no launcher to go on
  std::vector<int> host_of_rank;  // indices into the hosts of the job
  std::vector<std::string> hosts; // of those ranks, by name
  FirstGeneration first;
  std::string fingerprint;        // of the job that was asked for
};

nlohmann::ordered_json to_json(const Handover& handover);
Handover handover_of_json(const nlohmann::json& json);  // throws nlohmann's errors

std::vector<int> host_of_rank(const LaunchPlan& plan);

// Equal for two launches that want the same: command line, configuration, hosts, exported variables. To be taken before the
// job is planned for its hosts.
std::string fingerprint_of(const Job& job);

}  // namespace ds
