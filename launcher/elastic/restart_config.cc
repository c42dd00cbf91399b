#include "launcher/elastic/restart_config.h"

#include <nlohmann/json.hpp>

#include "launcher/records/output_folder.h"

namespace ds {
namespace {

constexpr const char* kWhere = "this job's restart";

constexpr const char* kMicroBatch = "train_micro_batch_size_per_gpu";

std::string with_batch(const std::string& text, int64_t train_batch, int64_t micro_batch) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text);  // it was read before
  json["train_batch_size"] = train_batch;
  json[kMicroBatch] = micro_batch;
  json.erase("gradient_accumulation_steps");
  return json.dump(2);
}

}  // namespace

bool chooses_micro_batch(const TrainConfig& config) {
  if (config.has("train.micro_batch")) return true;
  const nlohmann::json json = nlohmann::json::parse(config.ds_config_text);
  return json.contains(kMicroBatch) && json[kMicroBatch].is_number();
}

TrainConfig restart_config(const TrainConfig& config, int64_t train_batch, int64_t micro_batch,
                           const std::string& output) {
  TrainConfig next = config;
  next.ds_config_text = with_batch(config.ds_config_text, train_batch, micro_batch);
  next.values.erase("train.gradient_accumulation");
  const bool own_checkpoint = inspect_output(output).latest_step >= 0;
  if (own_checkpoint || config.text("checkpoint.resume", "auto") == "never")
    next.values["checkpoint.resume"] = {"auto", kWhere, ""};
  if (own_checkpoint) next.values["checkpoint.parts"] = {"all", kWhere, ""};
  return next;
}

}  // namespace ds
