#include "engine/config/ds_config.h"

#include <algorithm>

#include "engine/config/ds_check.h"
#include "engine/config/ds_optimizer.h"
#include "engine/config/ds_scheduler.h"
#include "engine/optim/lr_schedule.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {

using Kind = JsonNode::Kind;

JsonNode read_ds_config(const std::string& text, const std::string& file) {
  JsonNode root = read_json(text, file);
  if (!root.is(Kind::kObject)) throw Error(ErrorCode::kUsage, file + ": a DeepSpeed configuration must be an object");
  const JsonNode* alias = root.find("bfloat16");
  if (alias != nullptr && root.find("bf16") != nullptr)
    throw Error(ErrorCode::kUsage, where(file, *alias) + ": bfloat16 and bf16 are the same section: give one of them");
  for (size_t i = 0; i < root.keys.size(); ++i) {
    if (root.keys[i] == "bfloat16") root.keys[i] = "bf16";
    JsonNode& value = root.items[i];
    if (root.keys[i] != "zero_optimization" || !value.is(Kind::kFlag)) continue;
    JsonNode stage{.kind = Kind::kInteger, .integer = value.flag, .number = value.flag ? 1.0 : 0.0};
    stage.line = value.line;
    JsonNode section{.kind = Kind::kObject};
    section.line = value.line;
    section.keys = {"stage"};
    section.items = {stage};
    value = section;
  }
  return root;
}

void check_ds_keys(Choice& choice, const JsonNode& json) {
  check_keys(json, "", ds_keys(), choice.json_file(), choice.findings());
  std::vector<std::string> accepted;
  for (const auto& row : choice.findings().rows)
    if (row.answer == name_of(Answer::kAccepted)) accepted.push_back(row.key);
  if (!accepted.empty()) choice.findings().notes.push_back("accepted without effect: " + join(accepted, ", "));
}

// "ds_config.json:2, train.cfg:9", without repetitions; the file when nothing is given.
static std::string join_places(const Choice& choice, const std::vector<std::pair<std::string, std::string>>& keys) {
  std::vector<std::string> places;
  for (const auto& [json, train] : keys) {
    const std::string place = choice.place(json, train);
    if (!place.empty() && std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  }
  return places.empty() ? choice.file() : join(places, ", ");
}

BatchSizes resolve_batch_sizes(Choice& choice, int data_parallel) {
  static const std::vector<std::pair<std::string, std::string>> kKeys = {
      {"train_batch_size", ""},
      {"train_micro_batch_size_per_gpu", "train.micro_batch"},
      {"gradient_accumulation_steps", "train.gradient_accumulation"}};
  for (const auto& [json, train] : kKeys)
    if (choice.given(json) && !is_batch_size(as_integer(*choice.node(json)).value_or(0))) return {data_parallel, 1, 1};
  GivenBatchSizes given;
  given.train = choice.integer(kKeys[0].first);
  given.micro = choice.integer(kKeys[1].first, kKeys[1].second);
  given.accumulation = choice.integer(kKeys[2].first, kKeys[2].second);
  auto& problems = choice.findings().problems;
  const size_t before = problems.size();
  BatchSizes sizes = solve_batch_sizes(given, data_parallel, problems);
  if (problems.size() > before) {
    problems.back() = join_places(choice, kKeys) + ": " + problems.back();
    return {data_parallel, 1, 1};
  }
  const std::string solved = "solved for " + std::to_string(data_parallel) + " data-parallel ranks";
  if (!given.train) choice.filled("train_batch_size", std::to_string(sizes.train), solved);
  if (!given.micro) choice.filled("train_micro_batch_size_per_gpu", std::to_string(sizes.micro), solved);
  if (!given.accumulation) choice.filled("gradient_accumulation_steps", std::to_string(sizes.accumulation), solved);
  const auto size = choice.integer("data_parallel_size");
  if (size && *size != data_parallel)
    problems.push_back(choice.json_place("data_parallel_size") + ": there are " + std::to_string(data_parallel) +
                       " data-parallel ranks");
  return sizes;
}

static Precision precision_named(const std::string& word) {
  if (word == "bf16" || word == "bfloat16" || word == "bfp16") return Precision::kBFloat16;
  if (word == "fp16" || word == "float16") return Precision::kFloat16;
  return Precision::kFloat32;
}

static std::string name_of(Precision precision) {
  return precision == Precision::kFloat32 ? "fp32" : precision == Precision::kBFloat16 ? "bf16" : "fp16";
}

static Precision resolve_precision(Choice& choice) {
  auto& problems = choice.findings().problems;
  const auto bf16 = choice.flag("bf16.enabled"), fp16 = choice.flag("fp16.enabled");
  if (bf16.value_or(false) && fp16.value_or(false))
    problems.push_back(choice.json_place("fp16.enabled") + " contradicts " + choice.json_place("bf16.enabled") +
                       ": fp16 and bf16 exclude each other");
  const bool given = bf16.value_or(false) || fp16.value_or(false);
  const Precision json = bf16.value_or(false) ? Precision::kBFloat16 : Precision::kFloat16;
  if (!choice.has_train("train.precision")) {
    if (!bf16) choice.filled("bf16.enabled", "false", "DeepSpeed's default");
    return given ? json : Precision::kFloat32;
  }
  const Precision train = precision_named(choice.train_text("train.precision"));
  const bool refused = train == Precision::kBFloat16 && bf16 && !*bf16;
  if ((given && json != train) || refused)
    problems.push_back(choice.json_place(given && !bf16.value_or(false) ? "fp16.enabled" : "bf16.enabled") +
                       " contradicts " + choice.train_place("train.precision") +
                       ": they must agree, or one of them be left out");
  const std::string source = choice.train().values.at("train.precision").where;
  if (!bf16) choice.filled("bf16.enabled", train == Precision::kBFloat16 ? "true" : "false", source);
  if (!fp16 && choice.node("fp16.enabled") != nullptr) choice.filled("fp16.enabled", "false", source);
  return train;
}

static std::optional<Precision> dtype(Choice& choice, const std::string& path) {
  const auto word = choice.word(path);
  return word ? std::optional(precision_named(*word)) : std::nullopt;
}

static void must_be_weights_dtype(Choice& choice, const std::string& path, Precision precision) {
  const auto given = dtype(choice, path);
  if (given && *given != precision)
    choice.findings().problems.push_back(choice.json_place(path) + ": not supported yet: the weights are " +
                                         name_of(precision));
}

static void resolve_dtypes(Choice& choice, Settings& settings) {
  settings.precision = resolve_precision(choice);
  settings.grad_accum_dtype = dtype(choice, "data_types.grad_accum_dtype");
  settings.communication_dtype = dtype(choice, "communication_data_type");
  must_be_weights_dtype(choice, "data_types.param_dtype", settings.precision);
  must_be_weights_dtype(choice, "data_types.buffer_dtype", settings.precision);
  const bool low = settings.grad_accum_dtype && *settings.grad_accum_dtype != Precision::kFloat32;
  if (low && *settings.grad_accum_dtype != settings.precision)
    choice.findings().problems.push_back(choice.json_place("data_types.grad_accum_dtype") +
                                         ": not supported yet with " + name_of(settings.precision) +
                                         " weights; supported: fp32, or the type of the weights");
  if (!settings.grad_accum_dtype && settings.precision != Precision::kFloat32)
    choice.filled("data_types.grad_accum_dtype", "fp32", "default here (DeepSpeed: the weights' type)");
}

void resolve_numerics(Choice& choice, Settings& settings) {
  resolve_dtypes(choice, settings);
  settings.check_grad_overflow = choice.flag("bf16.check_grad_overflow").value_or(true);
  settings.gradient_clipping = choice.number("gradient_clipping", "train.max_grad_norm", 1.0);
  settings.gradient_allreduce_op = choice.word("gradient_allreduce_op").value_or("mean");
  const auto stage = choice.integer("zero_optimization.stage");
  if (!stage) choice.filled("zero_optimization.stage", "0", "DeepSpeed's default");
  settings.zero.stage = static_cast<int>(std::clamp<int64_t>(stage.value_or(0), 0, 3));
}

// DeepSpeed's numbers, kept even where they look odd: say so once.
static void note_oddities(const Settings& settings, std::vector<std::string>& notes) {
  const std::string& type = settings.schedule.type;
  if (type == "WarmupLR" || type == "WarmupDecayLR")
    notes.push_back(type + ": updates 0 and 1 both use warmup_min_lr, as in DeepSpeed");
  if (type == "OneCycle") {
    const auto schedule = make_lr_schedule(settings.schedule, settings.optimizer, settings.steps);
    for (int64_t update = 0; update < std::min<int64_t>(settings.steps, 1000000); ++update) {
      if (schedule->beta1(update).value_or(0) < 1) continue;
      notes.push_back("warning: OneCycle: beta1 reaches 1 at update " + std::to_string(update) +
                      ", as in DeepSpeed; decay_mom_rate = 0 avoids it");
      break;
    }
  }
}

void resolve_optimization(Choice& choice, Settings& settings) {
  const size_t before = choice.findings().problems.size();
  settings.schedule = resolve_schedule(choice, settings.steps);
  const bool wrong_type = choice.given("scheduler.type") && !choice.word("scheduler.type");
  const bool unclear = wrong_type || choice.findings().problems.size() > before;
  settings.optimizer = resolve_optimizer(choice, unclear || sets_learning_rate(settings.schedule));
  if (choice.findings().problems.size() == before) note_oddities(settings, choice.findings().notes);
}

static std::string from_hidden_size(const std::string& key, int64_t hidden) {
  if (hidden <= 0) return "";
  const std::string name = key.substr(key.rfind('.') + 1);
  if (name == "reduce_bucket_size") return std::to_string(hidden * hidden);
  if (name == "stage3_prefetch_bucket_size" || name == "prefetch_bucket_size")
    return std::to_string(hidden * hidden / 10 * 9 + hidden * hidden % 10 * 9 / 10);
  if (name == "stage3_param_persistence_threshold" || name == "param_persistence_threshold")
    return std::to_string(10 * hidden);
  return "";
}

void settle_autos(Choice& choice, int64_t hidden_size) {
  for (auto& row : choice.findings().rows) {
    if (row.value != "\"auto\"") continue;
    const std::string sized = from_hidden_size(row.key, hidden_size);
    row.value = sized.empty() ? "default" : sized;
    for (const auto& key : ds_keys())
      if (sized.empty() && row.key == key.path && *key.fallback) row.value = key.fallback;
    const std::string origin = sized.empty() ? "DeepSpeed's default" : "the model's hidden size";
    choice.findings().notes.push_back(row.key + "=auto (" + row.source + "): nothing in [train] fills it; " + origin +
                                      ": " + row.value);
    row.source = origin;
  }
}

Settings resolve_ds_config(const std::string& text, const std::string& file, int world_size) {
  const JsonNode json = read_ds_config(text, file);
  const TrainConfig train;
  Findings findings;
  Choice choice(train, json, file, findings);
  Settings settings;
  settings.parallel.data = std::max(1, world_size);
  settings.mesh_order = ProcessMesh::default_order();
  check_ds_keys(choice, json);
  settings.batch = resolve_batch_sizes(choice, settings.parallel.data);
  resolve_numerics(choice, settings);
  resolve_optimization(choice, settings);
  settle_autos(choice, 0);
  throw_if_any("", findings.problems);
  settings.notes = findings.notes;
  return settings;
}

}  // namespace ds
