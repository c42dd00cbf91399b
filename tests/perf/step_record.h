#pragma once
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace ds::bench {

// When the steps of a running job ended, in a file that the ranks and train_slices_bench map.
struct StepRecord {
  static constexpr int kMaxRanks = 16;
  static constexpr int64_t kMaxSteps = 4096;

  std::array<std::atomic<pid_t>, kMaxRanks> pids;
  std::atomic<int64_t> steps;            // entries of ends that are there
  std::array<double, kMaxSteps> ends;    // seconds of CLOCK_MONOTONIC, by rank 0

  // Maps PATH, zeroed when it is new; stays mapped until the process ends. Throws std::system_error.
  static StepRecord& open(const std::string& path);

  // Every rank, at the start of each step and so at the end of the one before.
  void step_ended(int rank);
};

double monotonic_seconds();

}  // namespace ds::bench
