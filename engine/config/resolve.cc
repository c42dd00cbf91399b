#include "engine/config/resolve.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "engine/config/data_files.h"
#include "engine/config/ds_config.h"
#include "engine/config/ds_key.h"
#include "engine/config/model_config.h"
#include "engine/config/train_keys.h"
#include "engine/config/value_rule.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

namespace fs = std::filesystem;

class Resolver {
 public:
  Resolver(const TrainConfig& config, int world_size, Resolution& out)
      : config_(config), world_size_(world_size), out_(out.settings), findings_(out.findings) {}

  void run() {
    train_rows();
    job();
    parallel();
    model();
    data();
    checkpoint();
    try {
      json_ = read_ds_config(config_.ds_config_text, json_file());
    } catch (const Error& error) {
      problem(error.what());
      return;
    }
    training();
    out_.notes = findings_.notes;
  }

 private:
  std::string json_file() const { return config_.ds_config_path.empty() ? "ds_config.json" : config_.ds_config_path; }
  void problem(const std::string& text) { findings_.problems.push_back(text); }

  // "train.steps=three (train.cfg:12)"
  std::string place(const std::string& key) const {
    const auto found = config_.values.find(key);
    return key + "=" + text(key) + (found == config_.values.end() ? "" : " (" + found->second.where + ")");
  }

  std::string text(const std::string& key) const {
    const TrainKey* row = find_train_key(key);
    return config_.text(key, row == nullptr ? "" : row->fallback);
  }
  int64_t integer(const std::string& key, int64_t otherwise = 0) const {
    return parse_int(text(key)).value_or(otherwise);
  }
  bool flag(const std::string& key) const {
    bool good = false;
    return parse_flag(text(key), good);
  }

  void train_rows() {
    for (const auto& row : train_keys()) {
      const auto given = config_.values.find(row.key);
      if (given != config_.values.end())
        findings_.became(row.key, given->second.text, given->second.where);
      else if (*row.fallback)
        findings_.became(row.key, row.fallback, "default");
    }
  }

  void job() {
    out_.job_name = text("job.name");
    out_.output = text("job.output");
    out_.seed = static_cast<uint64_t>(integer("job.seed"));
    out_.log_every = integer("train.log_every");
    out_.eval_every = integer("train.eval_every");
    out_.eval_batches = integer("train.eval_batches");
    out_.threads_per_rank = static_cast<int>(integer("train.threads_per_rank"));
    out_.device = text("train.device");
    out_.loss_average = text("train.loss_average");
    out_.reduction = text("train.reduction");
    for (const auto& pattern : split(text("train.no_decay"), ','))
      if (!trim(pattern).empty()) out_.no_decay.emplace_back(trim(pattern));
    out_.metrics_csv = flag("metrics.csv");
  }

  void parallel() {
    ParallelDims& dims = out_.parallel;
    dims.tensor = static_cast<int>(integer("parallel.tensor"));
    dims.pipeline = static_cast<int>(integer("parallel.pipeline"));
    dims.sequence = static_cast<int>(integer("parallel.sequence"));
    dims.context = static_cast<int>(integer("parallel.context"));
    dims.expert = static_cast<int>(integer("parallel.expert"));
    if (world_size_ < 1) problem("number of ranks=" + std::to_string(world_size_) + ": must be at least 1");
    dims.data = std::max(1, world_size_);
    const auto data = parse_int(text("parallel.data"));
    if (data && *data != dims.data)
      problem(place("parallel.data") + ": there are " + std::to_string(world_size_) + " ranks");
    try {
      out_.mesh_order = ProcessMesh::parse_order(text("parallel.order"));
    } catch (const Error& error) {
      problem(place("parallel.order") + ": " + error.what());
    }
  }

  void model() {
    const fs::path path = text("model.config");
    out_.model_folder = path.filename() == "config.json" ? path.parent_path().string() : path.string();
    out_.init = text("model.init");
    out_.dropout = parse_double(text("model.dropout"));
    try {
      model_ = load_model_config(out_.model_folder);
    } catch (const Error& error) {
      problem(place("model.config") + ": " + error.what());
    }
    std::error_code error;
    if (out_.init == "weights" && fs::is_directory(out_.model_folder, error) && !has_weights(out_.model_folder))
      problem(place("model.init") + ": " + out_.model_folder + " holds no *.safetensors file");
    else if (out_.init == "weights" && fs::is_regular_file(out_.model_folder, error))
      problem(place("model.init") + ": model.config must be a folder with config.json and *.safetensors");
  }

  static bool has_weights(const std::string& folder) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".safetensors") return true;
    return false;
  }

  void data() {
    FileSettings& data = out_.data;
    data.format = text("data.format");
    data.tokenizer = text("data.tokenizer");
    data.shuffle = flag("data.shuffle");
    data.sequence_length = integer("data.sequence_length", model_.max_positions);
    if (model_.max_positions > 0 && data.sequence_length > model_.max_positions)
      problem(place("data.sequence_length") + ": must be at most the model's positions=" +
              std::to_string(model_.max_positions));
    data.train = stream("data.train", tokens_);
    std::optional<TokenCount> unused;
    if (config_.has("data.valid")) data.valid = stream("data.valid", unused);
  }

  std::vector<std::string> stream(const std::string& key, std::optional<TokenCount>& tokens) {
    const size_t before = findings_.problems.size();
    const auto files = expand_data_paths(text(key), place(key), findings_.problems);
    if (out_.data.format == "text")
      for (const auto& file : files)
        if (file.ends_with(".bin")) problem(place("data.format") + ": " + file + ": is indexed data, not text");
    if (findings_.problems.size() > before) return files;
    tokens = count_tokens(files, findings_.problems);
    for (size_t i = before; i < findings_.problems.size(); ++i)
      findings_.problems[i] = place(key) + ": " + findings_.problems[i];
    const int64_t needed = out_.data.sequence_length + 1;
    if (tokens && tokens->tokens < needed)
      problem(place(key) + ": " + stream_name(files) + ": " + std::to_string(tokens->tokens) +
              " tokens are too few: data.sequence_length=" + std::to_string(needed - 1) + " needs at least " +
              std::to_string(needed));
    return files;
  }

  void checkpoint() {
    CheckpointSettings& checkpoint = out_.checkpoint;
    checkpoint.every = integer("checkpoint.every");
    checkpoint.keep = integer("checkpoint.keep");
    checkpoint.resume = text("checkpoint.resume");
    checkpoint.parts = text("checkpoint.parts");
    checkpoint.export_format = text("checkpoint.export");
    writable("checkpoints");  // whatever checkpoint.every says: a job that is asked to stop saves, too
    if (checkpoint.export_format == "hf") writable("hf");
    const std::string& path = checkpoint.resume;
    if (path == "auto" || path == "never") return;
    std::error_code error;
    if (!fs::is_directory(path, error))
      problem(place("checkpoint.resume") + ": no such folder");
    else if (!looks_like_checkpoint(path) && !looks_like_checkpoint(fs::path(path) / "checkpoints"))
      problem(place("checkpoint.resume") +
              ": holds no checkpoint: neither a step folder, nor a `checkpoints` folder, " +
              "nor the output folder of a job");
  }

  // What is written long after the start must not be lost because of a folder that was there before.
  void writable(const std::string& name) {
    const fs::path folder = fs::path(out_.output) / name;
    std::error_code error;
    if (!fs::exists(fs::symlink_status(folder, error))) return;
    std::string wrong;
    if (!fs::is_directory(folder, error))
      wrong = "is no folder";
    else if (::access(folder.c_str(), W_OK | X_OK) != 0)
      wrong = std::strerror(errno);
    if (!wrong.empty()) problem(place("job.output") + ": cannot write to " + folder.string() + ": " + wrong);
  }

  static bool looks_like_checkpoint(const fs::path& folder) {
    std::error_code error;
    if (fs::exists(folder / "manifest.json", error) || fs::exists(folder / "latest", error)) return true;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (fs::exists(entry.path() / "manifest.json", error)) return true;
    return false;
  }

  void steps() {
    out_.epochs = parse_double(text("train.epochs"));
    out_.steps = integer("train.steps");
    if (!config_.has("train.steps") && !out_.epochs)
      problem(config_.path + ": neither train.steps nor train.epochs is given");
    if (!out_.epochs || !tokens_ || !tokens_->exact || out_.data.sequence_length < 1) return;
    const auto windows = static_cast<double>((tokens_->tokens - 1) / out_.data.sequence_length);
    const double needed = std::ceil(*out_.epochs * windows / static_cast<double>(out_.batch.train));
    out_.steps = static_cast<int64_t>(std::clamp(needed, 1.0, 1e15));
    findings_.became("train.steps", std::to_string(out_.steps), place("train.epochs"));
  }

  void training() {
    const std::string file = json_file();
    Choice choice(config_, json_, file, findings_);
    check_ds_keys(choice, json_);
    out_.batch = resolve_batch_sizes(choice, out_.parallel.data);
    steps();
    resolve_numerics(choice, out_);
    resolve_optimization(choice, out_);
    settle_autos(choice, model_.hidden_size);
  }

  const TrainConfig& config_;
  int world_size_;
  Settings& out_;
  Findings& findings_;
  JsonNode json_;
  ModelConfig model_;
  std::optional<TokenCount> tokens_;
};

}  // namespace

Resolution resolve_with_report(const TrainConfig& config, int world_size) {
  Resolution resolution;
  Resolver(config, world_size, resolution).run();
  return resolution;
}

Settings resolve(const TrainConfig& config, int world_size) {
  Resolution resolution = resolve_with_report(config, world_size);
  auto problems = resolution.findings.problems;
  if (!problems.empty())
    for (const auto& note : resolution.findings.notes)
      if (note.find("=auto") != std::string::npos) problems.push_back("note: " + note);
  throw_if_any("", problems);
  return resolution.settings;
}

std::vector<ConfigRow> what_became(const TrainConfig& config, int world_size) {
  return resolve_with_report(config, world_size).findings.rows;
}

std::vector<ConfigRow> describe_keys() {
  std::vector<ConfigRow> rows;
  for (const auto& key : ds_keys()) {
    const bool section = std::string_view(key.type).starts_with("section");
    const std::string range = section || !*key.allowed ? "" : " " + std::string(key.allowed);
    rows.push_back({key.path, key.fallback, key.type + range, std::string(name_of(key.answer))});
  }
  return rows;
}

}  // namespace ds
