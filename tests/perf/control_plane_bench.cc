// What many agents cost a launcher: simulated agents on real sockets, they and dslaunch together on one core. Once with
// all of them quick, once with one that reads nothing more when its ranks run, once with one that is 300 ms late. Beside
// a beat stands what bare system calls cost for as many bytes at that time: on a busy machine both grow.
//
//   control_plane_bench [agents] [seconds of beats]
#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/launcher/simulated_cluster.h"
#include "tests/perf/loopback_cost.h"
#include "tests/support/places.h"

namespace {

using namespace std::chrono_literals;
using ds::testing::SimulatedCluster;
using ds::testing::SimulatedClusterOptions;

constexpr double kBeatSeconds = 1;         // FleetOptions::beat
constexpr double kFramesPerBeat = 4.0 / 3;  // every third one is answered
constexpr auto kSettling = 2s;              // after the start of a generation
constexpr size_t kFrameBytes = 70;          // of a Beat with its length and MAC

struct Measurement {
  double form_seconds = 0, beat_us = 0, bare_us = 0;
  std::vector<double> round_trips_ms;  // sorted; of beats of agents that are not slow
  std::optional<double> given_up_after;
};

int last_cpu() {
  cpu_set_t allowed;
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  int last = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) last = cpu;
  return last;
}

void stay_on(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

pid_t start_launcher(const SimulatedCluster& cluster) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  for (const auto& [name, value] : cluster.environment()) ::setenv(name.c_str(), value.c_str(), 1);
  const std::string program = ds::test::bin_folder() + "/dslaunch", output = cluster.output();
  ::execl(program.c_str(), "dslaunch", "-q", "--output", output.c_str(), "program", nullptr);
  ::_exit(127);
}

// When an event was, in seconds since 1970; 0 = not yet.
double time_of(const SimulatedCluster& cluster, const std::string& event) {
  std::ifstream file(cluster.output() + "/events.jsonl");
  for (std::string line; std::getline(file, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object() && json.value("event", "") == event) return json.value("time", 0.0);
  }
  return 0;
}

double cpu_seconds(pid_t process) {
  clockid_t clock{};
  timespec used{};
  ::clock_getcpuclockid(process, &clock);
  ::clock_gettime(clock, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

double cpu_us_per_beat(pid_t launcher, int num_agents, std::chrono::seconds length) {
  const auto start = std::chrono::steady_clock::now();
  const double before = cpu_seconds(launcher);
  std::this_thread::sleep_for(length);
  const double used = cpu_seconds(launcher) - before;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return 1e6 * used / (num_agents * seconds / kBeatSeconds);
}

Measurement measure(SimulatedClusterOptions options, std::chrono::seconds beats) {
  options.ranks_live = kSettling + beats + 2s;
  const SimulatedCluster cluster(options);
  const pid_t launcher = start_launcher(cluster);
  while (time_of(cluster, "generation_running") == 0) {
    if (::waitpid(launcher, nullptr, WNOHANG) == launcher) {
      std::fprintf(stderr, "control_plane_bench: the job ended before its ranks ran\n");
      std::exit(1);
    }
    std::this_thread::sleep_for(20ms);
  }
  Measurement result;
  std::this_thread::sleep_for(kSettling);
  result.bare_us = ds::bench::bare_us_per_message(options.num_hosts, kFrameBytes);
  result.beat_us = cpu_us_per_beat(launcher, options.num_hosts, beats);
  ::waitpid(launcher, nullptr, 0);
  std::ifstream file(cluster.report_path());
  const auto report = nlohmann::json::parse(file);
  const double running = time_of(cluster, "generation_running"), lost = time_of(cluster, "host_lost");
  result.form_seconds = running - 1e-9 * report.at("first_hello_ns").get<double>();
  if (lost > 0) result.given_up_after = lost - running;
  result.round_trips_ms = report.at("beat_ms").get<std::vector<double>>();
  std::sort(result.round_trips_ms.begin(), result.round_trips_ms.end());
  return result;
}

double quantile(const std::vector<double>& sorted, double q) {
  return sorted.empty() ? 0 : sorted[static_cast<size_t>(q * static_cast<double>(sorted.size() - 1) + 0.5)];
}

}  // namespace

int main(int argc, char** argv) {
  const int agents = argc > 1 ? std::atoi(argv[1]) : 1000;
  const std::chrono::seconds beats(argc > 2 ? std::atoi(argv[2]) : 10);
  stay_on(last_cpu());
  const Measurement quick = measure({.num_hosts = agents}, beats);
  const Measurement deaf = measure({.num_hosts = agents, .deaf_host = agents / 2}, beats);
  const Measurement late = measure({.num_hosts = agents, .late_host = agents / 2}, beats);
  std::printf("%d agents and their launcher on one core\n", agents);
  std::printf("%-52s %10s %10s %10s %8s\n", "", "all quick", "one deaf", "one late", "goal");
  auto row = [&](const char* what, auto value, const char* goal) {
    std::printf("%-52s %10.2f %10.2f %10.2f %8s\n", what, value(quick), value(deaf), value(late), goal);
  };
  row("first hello to all ranks running, s", [](const Measurement& m) { return m.form_seconds; }, "3");
  row("launcher CPU per beat, every third one answered, us", [](const Measurement& m) { return m.beat_us; }, "10");
  row("  as bare reads and sends of so many bytes, us", [](const Measurement& m) { return kFramesPerBeat * m.bare_us; }, "");
  row("  ratio", [](const Measurement& m) { return m.beat_us / (kFramesPerBeat * m.bare_us); }, "");
  row("round trip of the others' beats, median, ms", [](const Measurement& m) { return quantile(m.round_trips_ms, 0.5); }, "");
  row("  99 %", [](const Measurement& m) { return quantile(m.round_trips_ms, 0.99); }, "as quick");
  row("  slowest", [](const Measurement& m) { return quantile(m.round_trips_ms, 1); }, "as quick");
  if (deaf.given_up_after) std::printf("the deaf one is given up after %.1f s\n", *deaf.given_up_after);
  return 0;
}
