// The resolved settings of a training run: what train.cfg, the DeepSpeed JSON and the world size together mean.
// Plain values, no torch; computed once, by launcher (to refuse early) and by every rank alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topology/process_mesh.h"

namespace ds {

enum class Precision { kFloat32, kBFloat16, kFloat16 };

// deepspeed.md 3.1: train == micro * accumulation * data_parallel.
struct BatchSizes {
  int64_t train = 0;         // samples per optimizer step over all ranks
  int64_t micro = 0;         // samples per forward per data-parallel rank
  int64_t accumulation = 0;  // micro-steps per optimizer step
};

struct OptimizerSettings {
  enum class Type { kAdam, kAdamW, kSgd };  // kAdam: L2 in the gradient; kAdamW: decoupled decay
  Type type = Type::kAdamW;
  std::string name = "AdamW";  // as the user wrote it
  double learning_rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0.01;
  bool bias_correction = true;
  bool amsgrad = false;
  double momentum = 0, dampening = 0;
  bool nesterov = false;
};

// type "" = constant learning rate. Parameters by DeepSpeed's (or torch's) names; lists for torch schedules that have
// them are in `lists`. engine/optim/lr_schedule.h computes it.
struct ScheduleSettings {
  std::string type;
  std::vector<std::pair<std::string, double>> numbers;
  std::vector<std::pair<std::string, std::string>> words;
  std::vector<std::pair<std::string, std::vector<double>>> lists;
};

struct ZeroSettings {
  int stage = 0;
};

struct FileSettings {          // [data], paths absolute
  std::vector<std::string> train, valid;  // files, in reading order; globs and folders already expanded
  std::string format = "auto";
  std::string tokenizer = "bytes";
  int64_t sequence_length = 0;
  bool shuffle = true;
};

struct CheckpointSettings {
  int64_t every = 0;
  int64_t keep = 3;
  std::string resume = "auto";  // auto | never | absolute path
  std::string parts = "all";    // all | weights
  std::string export_format = "none";  // none | hf
};

struct Settings {
  std::string job_name, output;  // output: absolute folder
  uint64_t seed = 1234;

  std::string model_folder;      // absolute; has config.json
  std::string init = "auto";     // auto | weights | random
  std::optional<double> dropout;  // absent: as config.json says

  FileSettings data;

  BatchSizes batch;
  int64_t steps = 0;             // total optimizer steps; with epochs: computed when the data's size is known, else 0
  std::optional<double> epochs;
  int64_t log_every = 10, eval_every = 0, eval_batches = 0;
  std::string device = "auto";   // auto | cpu | cuda
  int threads_per_rank = 0;      // 0 = cores of the host / ranks on it
  Precision precision = Precision::kFloat32;
  std::optional<Precision> grad_accum_dtype;  // absent: fp32 (engine.md 5)
  std::optional<Precision> communication_dtype;  // absent: that of the weights
  double gradient_clipping = 1.0;  // 0 = off
  std::string gradient_allreduce_op = "mean";  // mean | sum
  OptimizerSettings optimizer;
  ScheduleSettings schedule;
  ZeroSettings zero;
  std::string loss_average = "tokens";   // tokens | microbatches
  std::string reduction = "fixed";       // fixed | fastest
  std::vector<std::string> no_decay;     // patterns of parameter names without weight decay
  bool check_grad_overflow = true;

  ParallelDims parallel;
  std::vector<Axis> mesh_order;

  CheckpointSettings checkpoint;
  bool metrics_csv = true;

  // What the user should be told once: filled "auto" values, keys accepted without effect, odd combinations.
  std::vector<std::string> notes;
};

}  // namespace ds
