// What an agent costs its host while ranks run: resident memory of the agent and of its rank server for N ranks, what of
// both is private, and their share of a core while the ranks sleep (goals: 10 MB + 10 KB per rank, 0.1 %). Beside it the
// share of a program that does nothing but send as many bytes as often: what a wake-up costs differs by ten between machines.
//
//   agent_bench [seconds] [N ...]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/perf/loopback_cost.h"

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBeat{1000};  // FleetOptions::beat
constexpr size_t kFrameBytes = 63;
constexpr unsigned kSettling = 3;  // seconds after the start

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

// Processes named dsagent below `ancestor`.
std::vector<pid_t> agents_of(pid_t ancestor) {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos || content_of(entry.path() / "comm") != "dsagent\n") continue;
    pid_t above = std::atoi(name.c_str());
    while (above > 1 && above != ancestor) {
      const std::string stat = content_of("/proc/" + std::to_string(above) + "/stat");
      const size_t close = stat.rfind(')');
      above = close == std::string::npos ? 0 : std::atoi(stat.c_str() + close + 4);
    }
    if (above == ancestor) found.push_back(std::atoi(name.c_str()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

long resident_kb(pid_t pid) {
  std::istringstream status(content_of("/proc/" + std::to_string(pid) + "/status"));
  for (std::string word; status >> word;)
    if (word == "VmRSS:") return status >> word, std::atol(word.c_str());
  return 0;
}

// Memory of its own: what is shared with other processes by files counts once per host, not per agent.
long private_kb(pid_t pid) {
  std::istringstream rollup(content_of("/proc/" + std::to_string(pid) + "/smaps_rollup"));
  long sum = 0;
  for (std::string word; rollup >> word;)
    if (word == "Private_Clean:" || word == "Private_Dirty:") rollup >> word, sum += std::atol(word.c_str());
  return sum;
}

// Of all its threads, in nanoseconds as the scheduler counts: ticks of 10 ms would be the whole of what an idle agent uses.
double cpu_seconds(pid_t pid) {
  double sum = 0;
  std::error_code error;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task", error))
    sum += std::atof(content_of(task.path() / "schedstat").c_str());
  return 1e-9 * sum;
}

struct Used {
  double agent, rank_servers, bare;  // seconds of CPU
};

int running(const fs::path& folder) {
  std::error_code error;
  return static_cast<int>(std::distance(fs::directory_iterator(folder, error), fs::directory_iterator()));
}

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 20;
  std::vector<int> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {1, 16, 64};
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path folder = fs::temp_directory_path() / ("dsl-agent-bench-" + std::to_string(getpid()));
  const pid_t bare = fork();
  if (bare == 0) ds::bench::beat_for_ever(kBeat, kFrameBytes);
  for (const int ranks : sizes) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    const std::string script = ": > " + folder.string() + "/$RANK; exec sleep 1000";
    const pid_t launcher = fork();
    if (launcher == 0) {
      const std::string program = bin / "dslaunch", count = std::to_string(ranks);
      execl(program.c_str(), "dslaunch", "--oversubscribe", "-np", count.c_str(), "sh", "-c", script.c_str(), nullptr);
      _exit(127);
    }
    while (running(folder) < ranks && waitpid(launcher, nullptr, WNOHANG) == 0) usleep(20000);
    const std::vector<pid_t> agents = agents_of(launcher);
    const auto used_by = [&] {
      Used used{0, 0, cpu_seconds(bare)};
      for (const pid_t agent : agents) (agent == agents[0] ? used.agent : used.rank_servers) += cpu_seconds(agent);
      return used;
    };
    sleep(kSettling);
    const Used before = used_by();
    sleep(static_cast<unsigned>(seconds));
    const Used after = used_by();
    long resident[2] = {0, 0}, own = 0;  // of the agent, which is the older one, and of its rank servers
    for (const pid_t agent : agents) {
      resident[agent == agents[0] ? 0 : 1] += resident_kb(agent);
      own += private_kb(agent);
    }
    const auto percent = [&](double Used::*who) { return 100 * (after.*who - before.*who) / seconds; };
    std::printf("{\"bench\":\"agent\",\"ranks\":%d,\"processes\":%zu,\"agent_kb\":%ld,\"rank_server_kb\":%ld,\"private_kb\":%ld,"
                "\"goal_kb\":%d,\"agent_percent\":%.3f,\"rank_server_percent\":%.3f,\"bare_percent\":%.3f}\n",
                ranks, agents.size(), resident[0], resident[1], own, 10240 + 10 * ranks, percent(&Used::agent),
                percent(&Used::rank_servers), percent(&Used::bare));
    std::fflush(stdout);
    kill(launcher, SIGTERM);
    waitpid(launcher, nullptr, 0);
  }
  kill(bare, SIGKILL);
  waitpid(bare, nullptr, 0);
  fs::remove_all(folder);
  return 0;
}
