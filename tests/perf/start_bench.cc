// Agents on many hosts: measured on hosts in network namespaces (real sshd; all share this machine's cores), predicted by
// the simulator from constants measured in the same run, and what it predicts for hosts that are not here.
//
//   start_bench [rounds] [hosts]     as root; hosts: how many beside the launcher's (16)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "launcher/reach/start_simulation.h"
#include "tests/support/host_bed.h"
#include "topology/base/error.h"

namespace ds::testing {
namespace {

namespace fs = std::filesystem;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Processor seconds that this machine has spent.
double busy_seconds() {
  std::ifstream file("/proc/stat");
  std::string word;
  double user = 0, nice = 0, system = 0;
  file >> word >> user >> nice >> system;
  return (user + nice + system) / 100;
}

struct Start {
  double seconds = 0, cpu = 0;  // until all agents have told what they have; processor time of the whole job
};

class Bench {
 public:
  Bench(const fs::path& bin, int hosts) : bin_(bin), bed_({.hosts = hosts + 1, .visible = {bin.string()}}) {}

  Start start(int hosts, int fan_out) {
    std::ofstream file(bed_.folder() + "/hosts");
    for (int host = 0; host <= hosts; ++host) file << "node" << host + 1 << " slots=1\n";
    file.close();
    const std::string output = bed_.folder() + "/out";
    fs::remove_all(output);
    const double before = busy_seconds();
    const auto result = bed_.run("node1", {(bin_ / "dslaunch").string(), "--output", output, "--hostfile", bed_.folder() + "/hosts",
                                           "--fan-out", std::to_string(fan_out), "true"}, std::chrono::seconds(120));
    if (result.code != 0) throw Error(ErrorCode::kInternal, "dslaunch: " + result.err);
    const double cpu = busy_seconds() - before;
    std::ifstream events(output + "/events.jsonl");
    std::map<std::string, double> time;
    for (std::string line; std::getline(events, line);) {
      const auto event = nlohmann::json::parse(line);
      time[event.at("event")] = event.at("time");
    }
    return {time.at("generation_forming") - time.at("job_started"), cpu};
  }

  double ssh_cpu() {
    const auto result = bed_.run("node1", {"bash", "-c", "TIMEFORMAT='%U %S'; time for i in 1 2 3 4 5; do ssh node2 true; done"});
    std::istringstream words(result.err);
    double user = 0, system = 0;
    words >> user >> system;
    return (user + system) / 5;
  }

 private:
  fs::path bin_;
  HostBed bed_;
};

StartCosts measure(Bench& bench, int rounds, int hosts) {
  std::vector<double> one, cpu;
  for (int round = 0; round < rounds; ++round) {
    const Start alone = bench.start(0, 0), single = bench.start(1, 0), many = bench.start(hosts, 0);
    one.push_back(single.seconds);
    cpu.push_back((many.cpu - alone.cpu) / hosts);
  }
  StartCosts costs;
  costs.start_cpu = bench.ssh_cpu();
  costs.host_cpu = std::max(0.0, median(cpu) - costs.start_cpu);
  costs.latency = std::max(0.0, median(one) - median(cpu));
  return costs;
}

void compare(Bench& bench, StartCosts costs, int rounds, int hosts) {
  costs.shared_cores = static_cast<int>(std::thread::hardware_concurrency());
  for (int fan_out : {0, 2, 4}) {
    std::vector<double> measured;
    for (int round = 0; round < rounds; ++round) measured.push_back(bench.start(hosts, fan_out).seconds);
    const StartTimes predicted = simulate_start(hosts, {.fan_out = fan_out}, costs);
    std::printf("{\"bench\":\"start\",\"hosts\":%d,\"fan_out\":%d,\"depth\":%d,\"measured_s\":%.2f,\"predicted_s\":%.2f,\"ratio\":%.2f}\n", hosts,
                fan_out, predicted.depth, median(measured), predicted.all_joined, median(measured) / predicted.all_joined);
    std::fflush(stdout);
  }
}

void predict(const StartCosts& costs) {
  for (int hosts : {100, 1000, 10000, 100000})
    for (int fan_out : {0, 8, 16, 32, 64}) {
      const StartTimes times = simulate_start(hosts, {.fan_out = fan_out}, costs);
      std::printf("{\"bench\":\"start\",\"simulated_hosts\":%d,\"fan_out\":%d,\"depth\":%d,\"seconds\":%.2f,\"messages\":%lld}\n", hosts, fan_out,
                  times.depth, times.all_joined, times.messages);
    }
}

int run(int rounds, int hosts) {
  if (const std::string reason = HostBed::why_not(false); !reason.empty()) {
    std::fprintf(stderr, "start_bench: %s\n", reason.c_str());
    return 1;
  }
  StartCosts costs;
  {
    Bench bench(fs::read_symlink("/proc/self/exe").parent_path(), hosts);
    costs = measure(bench, rounds, hosts);
    std::printf("{\"bench\":\"start\",\"start_cpu_ms\":%.1f,\"host_cpu_ms\":%.1f,\"latency_ms\":%.1f}\n", 1e3 * costs.start_cpu,
                1e3 * costs.host_cpu, 1e3 * costs.latency);
    for (int some : {hosts / 4, hosts / 2, hosts})
      if (some > 0) compare(bench, costs, rounds, some);
  }
  predict(costs);
  return 0;
}

}  // namespace
}  // namespace ds::testing

int main(int argc, char** argv) {
  try {
    return ds::testing::run(argc > 1 ? std::atoi(argv[1]) : 3, argc > 2 ? std::atoi(argv[2]) : 16);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "start_bench: %s\n", error.what());
    return 1;
  }
}
