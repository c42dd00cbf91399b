// Start of an MPI program on three hosts (network namespaces with sshd of their own): dslaunch against mpirun, both by
// ssh, alternating. All but the last from the start of the launcher until MPI_Init has returned on all ranks: "cold"; "warm",
// with resident agents on the hosts (dslaunch agents start); "formed": from the moment the plan is sent to agents that
// have joined already, which is what a replaced or resized generation waits for. mpirun has neither state, its whole start is
// the yardstick.
//
//   launch_hosts_bench [rounds] [ranks ...]     as root
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/host_bed.h"
#include "topology/base/error.h"

namespace ds::testing {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct Start {
  double cold_ms = 0, warm_ms = 0, formed_ms = 0;
};

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Seconds of the monotonic clock, which all hosts of the bed share.
double last_ready(const fs::path& folder, int ranks) {
  double last = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    std::ifstream file(folder / std::to_string(rank));
    double nanoseconds = 0;
    if (!(file >> nanoseconds)) throw Error(ErrorCode::kInternal, "rank " + std::to_string(rank) + " wrote nothing");
    last = std::max(last, 1e-9 * nanoseconds);
  }
  return last;
}

double time_of_event(const fs::path& events, const std::string& name) {
  std::ifstream file(events);
  for (std::string line; std::getline(file, line);) {
    const auto event = nlohmann::json::parse(line);
    if (event.value("event", "") == name) return event.at("time").get<double>();
  }
  throw Error(ErrorCode::kInternal, events.string() + " has no " + name);
}

class Bench {
 public:
  explicit Bench(const fs::path& bin) : bin_(bin), bed_({.hosts = 3, .visible = {bin.string()}}) {
    std::ofstream(bed_.folder() + "/hosts") << "node1 slots=8\nnode2 slots=8\nnode3 slots=8\n";
    Words start = with_residents();
    for (const char* word : {"agents", "start", "--hostfile"}) start.push_back(word);
    start.push_back(bed_.folder() + "/hosts");
    const auto result = bed_.run("node1", start, std::chrono::seconds(60));
    if (result.code != 0) throw Error(ErrorCode::kInternal, "agents start: " + result.err);
  }

  ~Bench() {
    Words stop = with_residents();
    stop.insert(stop.end(), {"agents", "stop"});
    bed_.run("node1", stop, std::chrono::seconds(60));
  }

  Start dslaunch(int ranks) {
    const fs::path output = fs::path(bed_.folder()) / "out";
    fs::remove_all(output);
    Start start;
    start.cold_ms = run({(bin_ / "dslaunch").string(), "--output", output.string()}, ranks);
    const double wall_minus_monotonic = seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_MONOTONIC);
    const double sent = time_of_event(output / "events.jsonl", "generation_forming") - wall_minus_monotonic;
    start.formed_ms = 1e3 * (ready_ - sent);
    start.warm_ms = run(with_residents(), ranks);
    return start;
  }

  double mpirun(int ranks) {
    return run({"mpirun", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl_tcp_if_include", "eth0",
                "--mca", "pml", "ob1", "--mca", "btl", "self,vader,tcp"}, ranks);
  }

 private:
  // dslaunch that knows of the resident agents; without the folder of their records it logs in.
  Words with_residents() const {
    return {"env", "XDG_STATE_HOME=" + bed_.folder() + "/residents", (bin_ / "dslaunch").string()};
  }

  double run(Words launcher, int ranks) {
    const fs::path folder = fs::path(bed_.folder()) / "ready";
    fs::remove_all(folder);
    fs::create_directories(folder);
    const std::string probe = (bin_ / "mpi_ready").string();
    for (const std::string& word : Words{"--hostfile", bed_.folder() + "/hosts", "--map-by", "node", "-np",
                                         std::to_string(ranks), probe, folder.string()})
      launcher.push_back(word);
    const double start = seconds_of(CLOCK_MONOTONIC);
    const auto result = bed_.run("node1", launcher, std::chrono::seconds(120));
    if (result.code != 0) throw Error(ErrorCode::kInternal, launcher[0] + " ended with " + std::to_string(result.code) + ": " + result.err);
    ready_ = last_ready(folder, ranks);
    return 1e3 * (ready_ - start);
  }

  fs::path bin_;
  HostBed bed_;
  double ready_ = 0;
};

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

// Medians of the times, and of the ratios of each round with what is usual for them.
nlohmann::ordered_json summary(const std::vector<double>& times, const std::vector<double>& theirs) {
  std::vector<double> ratios;
  for (size_t round = 0; round < times.size(); ++round) ratios.push_back(times[round] / theirs[round]);
  const auto rounded = [](double value) { return std::round(1e3 * value) / 1e3; };
  return {{"ms", std::round(quantile(times, 0.5))},
          {"ratio", rounded(quantile(ratios, 0.5))},
          {"p10", rounded(quantile(ratios, 0.1))},
          {"p90", rounded(quantile(ratios, 0.9))}};
}

void measure(Bench& bench, int ranks, int rounds) {
  std::vector<double> cold, warm, formed, theirs;
  for (int round = -1; round < rounds; ++round) {
    const Start ours = bench.dslaunch(ranks);
    const double mpirun = bench.mpirun(ranks);
    if (round < 0) continue;  // files are in memory now
    cold.push_back(ours.cold_ms);
    warm.push_back(ours.warm_ms);
    formed.push_back(ours.formed_ms);
    theirs.push_back(mpirun);
  }
  const nlohmann::ordered_json line{{"bench", "launch_hosts"},
                                    {"hosts", 3},
                                    {"ranks", ranks},
                                    {"rounds", rounds},
                                    {"mpirun_ms", std::round(quantile(theirs, 0.5))},
                                    {"cold", summary(cold, theirs)},
                                    {"warm", summary(warm, theirs)},
                                    {"formed", summary(formed, theirs)}};
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

int run(int rounds, std::vector<int> sizes) {
  if (const std::string reason = HostBed::why_not(false); !reason.empty()) {
    std::fprintf(stderr, "launch_hosts_bench: %s\n", reason.c_str());
    return 1;
  }
  Bench bench(fs::read_symlink("/proc/self/exe").parent_path());
  for (const int ranks : sizes) measure(bench, ranks, rounds);
  return 0;
}

}  // namespace
}  // namespace ds::testing

int main(int argc, char** argv) {
  std::vector<int> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {3, 6, 12};
  try {
    return ds::testing::run(argc > 1 ? std::atoi(argv[1]) : 10, sizes);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "launch_hosts_bench: %s\n", error.what());
    return 1;
  }
}
