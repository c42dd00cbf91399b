#include "tests/engine/golden/golden_case.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <unistd.h>

#include <ATen/Parallel.h>
#include <nlohmann/json.hpp>

#include "collectives/thread_world.h"
#include "engine/config/train_config.h"
#include "engine/models/from_config.h"
#include "engine/train/trainer.h"
#include "topology/base/text.h"

namespace ds::golden {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::optional<double> number(const std::string& text) { return text.empty() ? std::nullopt : parse_double(text); }

std::vector<Row> read_metrics(const fs::path& path) {
  std::vector<Row> rows;
  const auto lines = split(read_file(path.string()), '\n');
  const auto columns = split(lines.at(0), ',');
  const auto column = [&](const std::string& name) { return std::find(columns.begin(), columns.end(), name) - columns.begin(); };
  for (size_t i = 1; i < lines.size(); ++i) {
    const auto cells = split(trim(lines[i]), ',');
    if (cells.size() < columns.size()) continue;
    rows.push_back({*number(cells[column("loss")]), number(cells[column("lr")]).value_or(0), number(cells[column("grad_norm")]),
                    number(cells[column("grad_norm_torch")]), number(cells[column("loss_torch")])});
  }
  return rows;
}

bool has_feature_of_later(const json& config, const std::string& model) {
  const std::string optimizer = config.value("/optimizer/type"_json_pointer, "");
  const json zero = config.value("zero_optimization", json::object());
  const bool known = optimizer == "Adam" || optimizer == "AdamW" || optimizer == "SGD";
  return !known || config.value("/fp16/enabled"_json_pointer, false) || zero.contains("offload_optimizer") ||
         zero.contains("offload_param") || model.starts_with("mixtral");
}

fs::path write_train_cfg(const Case& golden) {
  const fs::path path =
      fs::temp_directory_path() / ("dsl-golden-" + std::to_string(::getpid()) + "-" + golden.name + ".cfg");
  std::ofstream file(path);
  file << "[job]\nname = golden\noutput = " << path.string() << ".out\n[model]\nconfig = " << golden.model.string()
       << "\ninit = weights\n[data]\ntrain = " << golden.data.string()
       << "\nsequence_length = " << golden.sequence_length << "\nshuffle = false\n[train]\ndeepspeed_config = "
       << golden.ds_config.string() << "\nsteps = " << golden.steps << "\n[checkpoint]\nevery = 0\nresume = never\n";
  return path;
}

}  // namespace

std::vector<Measured> train(const Case& golden, const std::vector<std::pair<std::string, std::string>>& overrides,
                            const DevicePlacer& place) {
  at::set_num_threads(1);
  const fs::path cfg = write_train_cfg(golden);
  const Settings settings = resolve(load_train_config(cfg.string(), overrides), golden.world);
  fs::remove(cfg);
  const ModelConfig model = load_model_config(settings.model_folder);
  std::vector<Measured> measured;
  run_thread_world(golden.world, [&](Communicator& world) {
    const DeviceRank rank = place(world);
    Trainer trainer(settings, model, rank.group ? *rank.group : world, rank.device);
    load_weights(trainer.store(), settings.model_folder);
    auto source = open_tokens(settings.data.train, "bytes");
    const SampleIndex index(source->size(), golden.sequence_length, false, 0, "golden");
    const BatchLoader data(std::move(source), index, model.vocab_size);
    for (int64_t step = 0; step < golden.steps; ++step) {
      const StepResult result = trainer.train_step(data, step);
      if (world.rank() == 0) measured.push_back({result.loss, result.grad_norm, result.learning_rate});
    }
  });
  return measured;
}

std::vector<Case> shared_cases(const fs::path& golden) {
  std::vector<Case> cases;
  for (const auto& entry : fs::directory_iterator(golden / "train")) {
    const json about = json::parse(read_file((entry.path() / "case.json").string()));
    const json config = json::parse(read_file((entry.path() / "ds_config.json").string()));
    const std::string model = about.at("model");
    if (has_feature_of_later(config, model)) continue;
    Case c;
    c.name = entry.path().filename().string();
    c.model = golden / "models" / model;
    c.data = golden / "data" / "licenses.bin";
    c.ds_config = entry.path() / "ds_config.json";
    c.world = about.at("world");
    c.steps = about.at("steps");
    c.sequence_length = about.at("seq");
    c.bf16 = config.value("/bf16/enabled"_json_pointer, false);
    // DeepSpeed's Adam is one step ahead at stage 0 in bf16; the stage-1 case of the same world is right.
    std::string reference = c.name;
    if (c.bf16 && config.value("/zero_optimization/stage"_json_pointer, 0) == 0) {
      if (!reference.starts_with("z0-")) continue;
      reference.replace(0, 3, "z1-");
    }
    c.expected = read_metrics(golden / "train" / reference / "metrics.csv");
    cases.push_back(std::move(c));
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

}  // namespace ds::golden
