// Output of many ranks on this machine, dslaunch against mpirun, alternating: MB/s from the first byte written to the last
// one read from the launcher's standard output, which is a pipe; and the same with dslaunch writing the logs of all ranks.
//
//   output_bench [rounds] [ranks] [MB in total]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

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

struct Delivered {
  double seconds = 0, megabytes = 0;
  std::string problem;
  double rate() const { return megabytes / seconds; }
};

// The reader only counts: what comes is checked by tests (output_volume_test).
Delivered run(const std::vector<std::string>& words) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(1);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    close(ends[0]);
    close(ends[1]);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  std::vector<char> bytes(1 << 20);
  Delivered result;
  double first = 0;
  for (ssize_t n; (n = read(ends[0], bytes.data(), bytes.size())) > 0;) {
    if (first == 0) first = now_seconds();
    result.megabytes += 1e-6 * static_cast<double>(n);
  }
  result.seconds = now_seconds() - first;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) result.problem = words[0] + " ended with status " + std::to_string(status);
  return result;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::string ranks = argc > 2 ? argv[2] : "64";
  const double total = argc > 3 ? std::atof(argv[3]) : 400;
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path folder = fs::temp_directory_path() / ("output-bench-" + std::to_string(getpid()));
  setenv("LINE_WRITER_BYTES", std::to_string(static_cast<long long>(1e6 * total / std::atof(ranks.c_str()))).c_str(), 1);
  setenv("LINE_WRITER_LONGEST", "20000", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
  const std::string ours = (bin / "dslaunch").string(), writer = (bin / "line_writer").string();
  std::vector<double> plain, logged, mpirun;
  for (int round = 0; round < rounds; ++round) {
    const Delivered results[] = {
        run({ours, "--oversubscribe", "-np", ranks, writer}),
        run({"mpirun", "--oversubscribe", "-np", ranks, writer}),
        run({ours, "--oversubscribe", "-np", ranks, "--output", folder.string(), writer})};
    for (const Delivered& one : results)
      if (!one.problem.empty()) {
        std::fprintf(stderr, "output_bench: %s\n", one.problem.c_str());
        return 1;
      }
    fs::remove_all(folder);
    plain.push_back(results[0].rate());
    mpirun.push_back(results[1].rate());
    logged.push_back(results[2].rate());
    std::printf("{\"round\":%d,\"ranks\":%s,\"megabytes\":%.0f,\"dslaunch_mb_s\":%.0f,\"mpirun_mb_s\":%.0f,"
                "\"dslaunch_with_logs_mb_s\":%.0f,\"ratio\":%.2f,\"ratio_with_logs\":%.2f}\n",
                round, ranks.c_str(), results[0].megabytes, plain.back(), mpirun.back(), logged.back(),
                plain.back() / mpirun.back(), logged.back() / mpirun.back());
    std::fflush(stdout);
  }
  std::vector<double> ratios;
  for (size_t i = 0; i < plain.size(); ++i) ratios.push_back(logged[i] / mpirun[i]);
  std::printf("{\"median_mb_s\":%.0f,\"median_with_logs_mb_s\":%.0f,\"median_mpirun_mb_s\":%.0f,\"median_ratio_with_logs\":%.2f}\n",
              median(plain), median(logged), median(mpirun), median(ratios));
}
