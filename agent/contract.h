// What an agent and its ranks share: one small memory block per rank, its place, and the signals between them.
// The page docs/launch_environment.md describes it for other languages.
//
// The agent creates the file DSLAUNCH_BLOCK (an environment variable of the rank) before it starts the rank; the rank
// maps it and is the only writer of everything except `agent_*` fields. All fields are little-endian and lock-free
// atomics of fixed size. A rank without the variable uses no block.
//
// Signals agent -> rank: SIGTERM = finish the step and end; SIGUSR1 = finish the step, save a checkpoint and end
// (only training ranks); SIGKILL = the end.
#pragma once

#include <atomic>
#include <cstdint>

namespace ds {

inline constexpr const char* kBlockVariable = "DSLAUNCH_BLOCK";
inline constexpr uint64_t kBlockMagic = 0x314b4c4253440001ULL;
inline constexpr uint32_t kBlockVersion = 2;

enum class RankPhase : uint32_t {
  kStarted = 0,   // process runs, nothing said yet
  kWiringUp = 1,  // MPI_Init
  kLoading = 2,   // model, data, checkpoint
  kTraining = 3,
  kSaving = 4,
  kEvaluating = 5,
  kEnding = 6,
};

struct RankBlock {
  std::atomic<uint64_t> magic;    // kBlockMagic, written by the agent
  std::atomic<uint32_t> version;  // kBlockVersion, written by the agent
  std::atomic<uint32_t> phase;    // RankPhase
  std::atomic<uint64_t> beat;     // grows whenever the rank makes progress
  std::atomic<int64_t> step;      // optimizer steps completed
  std::atomic<int64_t> total_steps;
  std::atomic<double> loss;                   // of the last step
  std::atomic<double> tokens_per_second;      // of the last step
  std::atomic<double> eval_loss;              // NaN until the first evaluation
  std::atomic<int64_t> checkpoint_step;       // newest committed checkpoint, -1 = none
  std::atomic<uint64_t> collective_sequence;  // operations of all ranks of the world that this rank has entered
  std::atomic<uint32_t> verdict;              // exit code the rank is about to end with, 0 = none yet
  char message[512];                          // why, NUL-terminated, written before `verdict`
  std::atomic<uint64_t> collectives_done;     // of those entered
};
static_assert(sizeof(RankBlock) == 608);
static_assert(std::atomic<double>::is_always_lock_free && std::atomic<uint64_t>::is_always_lock_free);

}  // namespace ds
