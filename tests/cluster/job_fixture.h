// A bed of hosts, three if not said, with two slots each, on which dslaunch of this build runs jobs.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "gtest/gtest.h"
#include "tests/cluster/training_job.h"
#include "tests/support/host_bed.h"
#include "tests/support/places.h"
#include "tests/support/poll.h"

namespace ds::testing {

// Whatever it calls itself, a rank server is a dsagent that was started as one.
inline bool is_rank_server(const ProcessSeen& seen) { return seen.command.find("--rank-server") != std::string::npos; }
inline bool is_agent(const ProcessSeen& seen) { return seen.name == "dsagent" && !is_rank_server(seen); }

class JobTest : public ::testing::Test {
 protected:
  explicit JobTest(bool slurm = false, int hosts = 3, bool ipv6 = false) : slurm_(slurm), num_hosts_(hosts), ipv6_(ipv6) {}

  void SetUp() override {
    const auto reason = HostBed::why_not(slurm_);
    if (!reason.empty()) GTEST_SKIP() << reason;
    bed_ = std::make_unique<HostBed>(HostBed::Options{.hosts = num_hosts_, .slurm = slurm_, .ipv6 = ipv6_, .slurm_cpus = 2, .visible = {bin(), source()}});
    std::ofstream file(hostfile());
    for (const std::string& name : bed_->names()) file << name << " slots=2\n";
  }

  static std::string bin() { return test::bin_folder(); }
  static std::string source() { return test::source_folder().string(); }
  static std::string program(const std::string& name) { return bin() + "/" + name; }

  HostBed& bed() { return *bed_; }
  std::string hostfile() const { return bed_->folder() + "/hosts"; }
  std::string folder(const std::string& name) const { return bed_->folder() + "/" + name; }

  // dslaunch on node1 with the hostfile.
  std::vector<std::string> launch(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {program("dslaunch"), "--hostfile", hostfile()});
    return arguments;
  }

  // No process, no shared memory and no run-time folder on any host.
  void expect_nothing_left(std::chrono::seconds deadline = std::chrono::seconds(10)) {
    EXPECT_EQ(bed_->leftovers(deadline), "");
    for (const auto& name : bed_->names()) {
      EXPECT_EQ(bed_->files(name, "/tmp/dsl-0"), std::vector<std::string>{}) << name;
    }
  }

 private:
  bool slurm_;
  int num_hosts_;
  bool ipv6_;
  std::unique_ptr<HostBed> bed_;
};

}  // namespace ds::testing
