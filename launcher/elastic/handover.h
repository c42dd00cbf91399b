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
  FirstGeneration first;
  std::string fingerprint;        // of the job that was asked for
};

nlohmann::ordered_json to_json(const Handover& handover);
Handover handover_of_json(const nlohmann::json& json);  // throws nlohmann's errors

std::vector<int> host_of_rank(const LaunchPlan& plan);

// Equal for two launches that want the same: configuration, hosts, number of ranks, exported variables. To be taken before
// the job is planned for its hosts.
std::string fingerprint_of(const Job& job);

// Another launcher of the same output folder that is gone without having ended its job.
struct Succession {
  bool resumes = false;  // it ran on this machine and wanted the same: its agents come back to who listens on its port
  int port = 0;
  double silence = 0;    // seconds since its last sign of life
  Handover handover;
};

}  // namespace ds
