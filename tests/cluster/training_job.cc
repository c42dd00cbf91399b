#include "tests/cluster/training_job.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "topology/base/text.h"

namespace ds::testing {
namespace {

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

// Words of a small vocabulary in an order that repeats only after a long time: something that can be learnt.
std::string corpus() {
  const std::vector<std::string> words = {"the", "rank", "of", "a", "host", "sends", "and", "waits", "for", "all"};
  std::string text;
  uint64_t state = 12345;
  while (text.size() < 40000) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    text += words[(state >> 33) % words.size()] + ((state >> 60) == 0 ? ".\n" : " ");
  }
  return text;
}

}  // namespace

std::string write_training_job(const std::string& folder, const TrainingJob& job) {
  std::filesystem::create_directories(folder + "/model");
  write(folder + "/corpus.txt", corpus());
  write(folder + "/model/config.json", nlohmann::json{{"model_type", "gpt2"},
                                                      {"architectures", {"GPT2LMHeadModel"}},
                                                      {"vocab_size", 256},
                                                      {"n_positions", 64},
                                                      {"n_embd", 32},
                                                      {"n_layer", 2},
                                                      {"n_head", 2},
                                                      {"embd_pdrop", 0.0},
                                                      {"attn_pdrop", 0.0},
                                                      {"resid_pdrop", 0.0}}
                                           .dump(1));
  write(folder + "/ds_config.json",
        nlohmann::json{{"train_batch_size", 12},
                       {"optimizer", {{"type", "AdamW"}, {"params", {{"lr", 1e-3}}}}},
                       {"gradient_clipping", 1.0},
                       {"zero_optimization", {{"stage", job.zero_stage}}}}
            .dump(1));
  write(folder + "/train.cfg", "[job]\nname = cluster-test\noutput = out\nseed = 5\n[model]\nconfig = model\ninit = random\n"
                               "[data]\ntrain = corpus.txt\nsequence_length = 32\nshuffle = true\n"
                               "[train]\ndeepspeed_config = ds_config.json\nlog_every = 1\nsteps = " +
                                   std::to_string(job.steps) + "\n[checkpoint]\nresume = auto\nevery = " +
                                   std::to_string(job.checkpoint_every) + "\n");
  return folder + "/train.cfg";
}

std::vector<double> losses_of(const std::string& folder) {
  std::ifstream file(folder + "/out/metrics.csv", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto lines = split(text, '\n');
  lines.pop_back();  // what follows the last line end is not a complete line
  std::vector<double> losses;
  if (lines.empty()) return losses;
  const auto names = split(lines[0], ',');
  const auto column = static_cast<size_t>(std::find(names.begin(), names.end(), "loss") - names.begin());
  for (size_t i = 1; i < lines.size(); ++i) {
    const auto fields = split(lines[i], ',');
    losses.push_back(column < fields.size() ? parse_double(fields[column]).value_or(NAN) : NAN);
  }
  return losses;
}

double worst_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]) / std::abs(b[i]);
    if (!(difference <= worst)) worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }
  return worst;
}

nlohmann::json last_error(const std::string& stderr_text) {
  const auto lines = split(trim(stderr_text), '\n');
  const auto value = nlohmann::json::parse(lines.back(), nullptr, false);
  return value.is_object() ? value : nlohmann::json::object();
}

}  // namespace ds::testing
