// A small training job for tests: its files, and what it left for a person to read.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace ds::testing {

struct TrainingJob {
  int steps = 20;
  int zero_stage = 2;
  int checkpoint_every = 0;
};

// Writes FOLDER/{train.cfg, ds_config.json, model/config.json, corpus.txt}: a two-layer GPT-2 from random weights that
// depend on the seed only, batch 12, fp32. Output goes to FOLDER/out. Returns the path of train.cfg.
std::string write_training_job(const std::string& folder, const TrainingJob& job);

// The column "loss" of FOLDER/out/metrics.csv, complete lines only; empty when there is no such file yet.
std::vector<double> losses_of(const std::string& folder);

// The largest |a - b| / |b|; infinity when the lengths differ or there is nothing.
double worst_difference(const std::vector<double>& a, const std::vector<double>& b);

// The JSON object that a failed job must end its stderr with; {} when the last line is none.
nlohmann::json last_error(const std::string& stderr_text);

}  // namespace ds::testing
