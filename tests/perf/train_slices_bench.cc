// Step time of training against its yardstick where the machine's own speed changes within a step (a busy neighbour on the
// same core makes it 0.6 of itself for seconds): every mode is a job of its own, and all ranks of one job run for a slice
// of 100 ms while those of the others are stopped. A step's time is the sum of its slices, so what disturbs one mode disturbs
// the others as much. Medians of paired ratios, as in train_bench.
//
//   train_slices_bench [rounds] [fp32|bf16] [ranks]
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/perf/step_record.h"
#include "tests/support/places.h"

namespace {

namespace fs = std::filesystem;
using ds::bench::StepRecord;

constexpr double kSlice = 0.1, kSettle = 2e-4;   // seconds
constexpr double kStartLimit = 300;

struct Slice {
  double begin, end;
};

struct Job {
  std::string mode;
  pid_t launcher = -1;
  StepRecord* record = nullptr;
  std::vector<Slice> slices;
};

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "train_slices_bench: %s\n", why.c_str());
  std::exit(1);
}

pid_t start(std::vector<std::string> words, bool bind) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  cpu_set_t last;
  CPU_ZERO(&last);
  CPU_SET(static_cast<size_t>(std::thread::hardware_concurrency() - 1), &last);
  if (bind) ::sched_setaffinity(0, sizeof last, &last);  // away from this program's own core; mpirun binds its ranks itself
  ::dup2(::open("/dev/null", O_RDWR), 0);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

void signal_ranks(const Job& job, int ranks, int signal) {
  for (int rank = 0; rank < ranks; ++rank) ::kill(job.record->pids[static_cast<size_t>(rank)], signal);
}

bool all_there(const Job& job, int ranks) {
  for (int rank = 0; rank < ranks; ++rank)
    if (job.record->pids[static_cast<size_t>(rank)] == 0) return false;
  return true;
}

Job start_job(const std::string& mode, const std::string& precision, int ranks, const fs::path& folder) {
  Job job{mode, -1, &StepRecord::open((folder / mode).string()), {}};
  std::vector<std::string> words = {ds::test::bin_folder() + "/train_bench", "only", mode, precision, (folder / mode).string()};
  if (ranks > 1) words.insert(words.begin(), {"mpirun", "--bind-to", "core", "-np", std::to_string(ranks)});
  job.launcher = start(words, ranks == 1);
  for (const double limit = ds::bench::monotonic_seconds() + kStartLimit; !all_there(job, ranks);) {
    if (::waitpid(job.launcher, nullptr, WNOHANG) != 0) fail(mode + " ended");
    if (ds::bench::monotonic_seconds() > limit) fail(mode + " has not begun its third step");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  signal_ranks(job, ranks, SIGSTOP);
  return job;
}

void run_slice(Job& job, int ranks) {
  if (::waitpid(job.launcher, nullptr, WNOHANG) != 0) fail(job.mode + " ended");
  signal_ranks(job, ranks, SIGCONT);
  const double begin = ds::bench::monotonic_seconds();
  std::this_thread::sleep_for(std::chrono::duration<double>(kSlice));
  signal_ranks(job, ranks, SIGSTOP);
  job.slices.push_back({begin, ds::bench::monotonic_seconds()});
  std::this_thread::sleep_for(std::chrono::duration<double>(kSettle));
}

// How long the job has run up to a moment.
double active(const std::vector<Slice>& slices, double moment) {
  double sum = 0;
  for (const Slice& slice : slices) sum += std::clamp(moment - slice.begin, 0.0, slice.end - slice.begin);
  return sum;
}

// The step during which the first slice began has a part that is in no slice.
std::vector<double> step_seconds(const Job& job) {
  std::vector<double> seconds;
  for (int64_t i = 2; i < job.record->steps; ++i)
    seconds.push_back(active(job.slices, job.record->ends[static_cast<size_t>(i)]) -
                      active(job.slices, job.record->ends[static_cast<size_t>(i - 1)]));
  return seconds;
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

void print(const std::vector<Job>& jobs, const std::string& precision, int ranks, size_t rounds) {
  const std::vector<double> yardstick = step_seconds(jobs[0]);
  for (const Job& job : jobs) {
    const std::vector<double> seconds = step_seconds(job);
    std::vector<double> ratios;
    for (size_t i = 0; i < rounds; ++i) ratios.push_back(seconds[i] / yardstick[i]);
    const double low = quantile(ratios, 0.1), high = quantile(ratios, 0.9);
    std::printf("{\"bench\":\"train_slices\",\"ranks\":%d,\"precision\":\"%s\",\"mode\":\"%s\",\"against\":\"%s\",\"median_ms\":%.1f,"
                "\"ratio\":%.3f,\"ratio_p10\":%.3f,\"ratio_p90\":%.3f,\"rounds\":%zu,\"stable\":%s}\n",
                ranks, precision.c_str(), job.mode.c_str(), ranks == 1 ? "plain libtorch" : "no communication",
                1e3 * quantile(seconds, 0.5), quantile(ratios, 0.5), low, high, rounds, high - low <= 0.15 ? "true" : "false");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const size_t rounds = argc > 1 ? std::stoul(argv[1]) : 15;
  const std::string precision = argc > 2 ? argv[2] : "fp32";
  const int ranks = argc > 3 ? std::stoi(argv[3]) : 1;
  std::string folder = (fs::temp_directory_path() / "train_slices.XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) fail("no folder in " + fs::temp_directory_path().string());

  std::vector<Job> jobs;
  for (const char* mode : {"yardstick", "zero0", "zero1", "zero2", "zero3"})
    jobs.push_back(start_job(mode, precision, ranks, folder));
  const auto done = [&](const Job& job) { return job.record->steps >= static_cast<int64_t>(rounds) + 2; };
  for (size_t turn = 0; !std::all_of(jobs.begin(), jobs.end(), done); ++turn)
    for (size_t i = 0; i < jobs.size(); ++i) run_slice(jobs[(i + turn) % jobs.size()], ranks);

  print(jobs, precision, ranks, rounds);
  for (const Job& job : jobs) {
    signal_ranks(job, ranks, SIGKILL);
    ::waitpid(job.launcher, nullptr, 0);
  }
  fs::remove_all(folder);
}
