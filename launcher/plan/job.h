// A job before it starts: everything the runner needs, decided and checked.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/train_config.h"
#include "hostfiles/rankfile.h"
#include "launcher/elastic/elastic_policy.h"
#include "launcher/elastic/succession.h"
#include "launcher/plan/hosts_from.h"
#include "launcher/plan/launch_plan.h"
#include "launcher/options/options.h"

namespace ds {

struct Job {
  Options options;
  std::map<std::string, std::string> environment;  // of the launcher
  std::string id, name, key, folder;               // folder: of this program and its companions
  HostSource hosts;
  std::optional<Rankfile> rankfile;
  std::vector<bool> local;                         // which hosts are this machine
  int meeting_port = 0;  // free on rank 0's host, for MASTER_PORT; known once the hosts have told
  LaunchPlan plan;
  std::optional<TrainConfig> config;               // training jobs
  std::optional<Settings> settings;                // once the world size is known
  std::string output;                              // absolute; "" = no output folder
  ElasticPolicy elastic;
  std::string fingerprint;                         // of an elastic training job
  std::optional<Succession> after;                 // it takes the place of a launcher that died

  bool training() const { return options.training(); }
};

// Reads files named by the options, finds hosts, places ranks when their slots are known, and resolves the training
// configuration then. Contacts nobody. Throws ds::Error.
Job prepare_job(Options options);

// Places ranks with what the hosts have told since, and resolves the configuration for the world size.
void complete_plan(Job& job);

// Takes hosts that get no ranks out of a placed job: no agents are needed there.
void drop_unused_hosts(Job& job);

}  // namespace ds
