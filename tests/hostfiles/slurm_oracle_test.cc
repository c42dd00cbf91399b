// Our reading of node lists against Slurm's own, where it is installed.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <unistd.h>

#include "hostfiles/slurm_nodelist.h"

namespace ds {
namespace {

using Names = std::vector<std::string>;

class SlurmOracle : public testing::Test {
 protected:
  SlurmOracle() : config_(std::filesystem::path(testing::TempDir()) / ("slurm_oracle_" + std::to_string(getpid()) + ".conf")) {
    std::ofstream(config_) << "ClusterName=x\nSlurmctldHost=localhost\nNodeName=localhost\nPartitionName=p Nodes=ALL\n";
  }
  ~SlurmOracle() override { std::filesystem::remove(config_); }
  void SetUp() override {
    if (std::system("command -v scontrol >/dev/null 2>&1") != 0) GTEST_SKIP() << "scontrol is not installed";
  }

  Names scontrol(const std::string& list) const {
    const std::string command = "SLURM_CONF=" + config_.string() + " timeout 20 scontrol show hostnames '" + list + "' 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string text;
    std::array<char, 4096> part{};
    while (const size_t size = fread(part.data(), 1, part.size(), pipe.get())) text.append(part.data(), size);
    std::istringstream lines(text);
    Names names;
    for (std::string name; std::getline(lines, name);) names.push_back(name);
    return names;
  }

  std::filesystem::path config_;
};

TEST_F(SlurmOracle, ReadsNodeListsTheSameWay) {
  for (const char* list : {"a,b,a", "n-1", "n[09-11]", "rack[0-1]n[1-2]", "n[1-010]", "n[008-10]", "n[5,1-2]", "a b,,c", "x[01-02,5]y[1]", "linux[1,2]"})
    EXPECT_EQ(parse_slurm_nodelist(list), scontrol(list)) << list;
}

}  // namespace
}  // namespace ds
