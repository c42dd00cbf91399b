// dslaunch against mpirun, alternating, on this machine (performance.md G, launcher.md 4.2): how long until MPI_Init has
// returned on all ranks, both letting idle ranks yield when there are more ranks than cores; or, with the word plain, how
// long a program that knows nothing of MPI takes from start to end; or, with the word begun, until all N of them have begun.
//
//   launch_bench [plain|begun] [rounds] [N ...]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

double now_seconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

constexpr unsigned kLimitSeconds = 5;  // mpirun with many programs that know nothing of MPI may never end
constexpr int kMostTries = 5;          // for each round, while one of the two does not end
constexpr int kHung = 128 + SIGALRM;

int run(const std::vector<std::string>& words) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kLimitSeconds);
    const int quiet = open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) dup2(quiet, fd);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Milliseconds from the start of the launcher to the time that the last rank wrote; negative when it did not end in time.
double ready_ms(std::vector<std::string> launcher, int ranks, const fs::path& probe, const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  launcher.insert(launcher.end(), {"-np", std::to_string(ranks), probe.string(), folder.string()});
  const double start = now_seconds();
  const int code = run(launcher);
  if (code == kHung) return -1;
  if (code != 0) {
    std::fprintf(stderr, "launch_bench: %s ended with %d\n", launcher[0].c_str(), code);
    std::exit(1);
  }
  double last = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    std::ifstream file(folder / std::to_string(rank));
    double nanoseconds = 0;
    if (!(file >> nanoseconds)) {
      std::fprintf(stderr, "launch_bench: rank %d of %s wrote nothing\n", rank, launcher[0].c_str());
      std::exit(1);
    }
    last = std::max(last, 1e-9 * nanoseconds);
  }
  return 1e3 * (last - start);
}

// Milliseconds that N times /bin/true take, launcher and all; negative when it did not end in time.
double whole_ms(std::vector<std::string> launcher, int ranks) {
  launcher.insert(launcher.end(), {"-np", std::to_string(ranks), "/bin/true"});
  const double start = now_seconds();
  const int code = run(launcher);
  if (code == kHung) return -1;
  if (code != 0) {
    std::fprintf(stderr, "launch_bench: %s ended with %d\n", launcher[0].c_str(), code);
    std::exit(1);
  }
  return 1e3 * (now_seconds() - start);
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool plain = !words.empty() && words[0] == "plain", begun = !words.empty() && words[0] == "begun";
  if (plain || begun) words.erase(words.begin());
  const int rounds = words.empty() ? 10 : std::atoi(words[0].c_str());
  std::vector<int> sizes;
  for (size_t i = 1; i < words.size(); ++i) sizes.push_back(std::atoi(words[i].c_str()));
  if (sizes.empty()) sizes = {1, 2, 4, 8, 16, 32, 64};
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path probe = bin / (begun ? "plain_ready" : "mpi_ready");
  const fs::path folder = fs::temp_directory_path() / ("dsl-launch-bench-" + std::to_string(getpid()));
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  for (const int ranks : sizes) {
    std::vector<double> ours, theirs, ratios;
    int hung = 0;
    for (int round = -1, tries = 0; round < rounds && tries < kMostTries * (rounds + 1); ++tries) {
      const std::vector<std::string> dslaunch = {(bin / "dslaunch").string(), "--oversubscribe"};
      const std::vector<std::string> mpirun = {"mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"};
      const double a = plain ? whole_ms(dslaunch, ranks) : ready_ms(dslaunch, ranks, probe, folder);
      const double b = plain ? whole_ms(mpirun, ranks) : ready_ms(mpirun, ranks, probe, folder);
      if (a < 0 || b < 0) {
        std::fprintf(stderr, "launch_bench: %s did not end within %u s\n", a < 0 ? "dslaunch" : "mpirun", kLimitSeconds);
        ++hung;
        continue;
      }
      if (++round == 0) continue;  // files are in memory now
      ours.push_back(a);
      theirs.push_back(b);
      ratios.push_back(a / b);
    }
    if (ratios.empty()) continue;
    std::printf("{\"bench\":\"%s\",\"ranks\":%d,\"dslaunch_ms\":%.0f,\"mpirun_ms\":%.0f,\"ratio\":%.3f,\"ratio_p10\":%.3f,"
                "\"ratio_p90\":%.3f,\"rounds\":%zu,\"hung\":%d}\n",
                plain ? "launch_plain" : begun ? "launch_begun" : "launch", ranks, quantile(ours, 0.5), quantile(theirs, 0.5), quantile(ratios, 0.5), quantile(ratios, 0.1),
                quantile(ratios, 0.9), ratios.size(), hung);
    std::fflush(stdout);
  }
  fs::remove_all(folder);
  return 0;
}
