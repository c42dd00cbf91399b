#include "engine/train/training_state.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <nlohmann/json.hpp>
#include <torch/headeronly/version.h>

#include "topology/base/error.h"

namespace ds {
namespace {

using nlohmann::json;

// What decides the bits of a continuation, beside the state itself.
json numerics(const Trainer& trainer) {
  const Settings& s = trainer.settings();
  return {{"world_size", const_cast<Trainer&>(trainer).group().size()},
          {"zero_stage", s.zero.stage},
          {"micro_batch", s.batch.micro},
          {"accumulation", s.batch.accumulation},
          {"precision", static_cast<int>(s.precision)},
          {"device", const_cast<Trainer&>(trainer).store().device().is_cpu() ? "cpu" : "cuda"},
          {"threads_per_rank", at::get_num_threads()},
          {"cpu_capability", at::get_cpu_capability()},
          {"reduction", s.reduction},
          {"libtorch", TORCH_VERSION}};
}

void must_match(const json& state, const char* key, const json& ours, std::vector<std::string>& problems) {
  const json theirs = state.value(key, json());
  if (theirs != ours)
    problems.push_back("checkpoint: " + std::string(key) + " is " + theirs.dump() + " in the checkpoint and " +
                       ours.dump() + " now; it must be the same to resume (or use checkpoint.parts = weights)");
}

}  // namespace

json describe_state(const Trainer& trainer, const Position& position, const std::string& data_fingerprint) {
  const Settings& s = trainer.settings();
  return {{"step", position.step},
          {"samples", position.samples},
          {"tokens", position.tokens},
          {"updates", trainer.updates()},
          {"job", s.job_name},
          {"seed", s.seed},
          {"train_batch_size", s.batch.train},
          {"optimizer", s.optimizer.name},
          {"data", data_fingerprint},
          {"numerics", numerics(trainer)}};
}

Position restore(Trainer& trainer, const CheckpointReader& reader, const std::string& data_fingerprint,
                 const std::string& parts, std::vector<std::string>& notes) {
  const json& state = reader.state();
  const Settings& s = trainer.settings();
  const bool weights_only = parts == "weights";
  if (!weights_only) {
    std::vector<std::string> problems;
    must_match(state, "seed", s.seed, problems);
    must_match(state, "train_batch_size", s.batch.train, problems);
    must_match(state, "optimizer", s.optimizer.name, problems);
    must_match(state, "data", data_fingerprint, problems);
    throw_if_any("", problems);
  }
  const StatePieces pieces = pieces_to_load(trainer.store(), weights_only);
  reader.read(pieces.pieces);
  pieces.write_back();
  trainer.store().refresh_work();
  if (weights_only) return {};
  trainer.set_updates(state.at("updates").get<int64_t>());
  const json now = numerics(trainer), then = state.value("numerics", json::object());
  for (const auto& [key, value] : now.items())
    if (then.contains(key) && then.at(key) != value)  // checkpoints of older versions have fewer keys
      notes.push_back("resumed, not bit-identical, because " + key + " was " + then.at(key).dump() + " and is " +
                      value.dump());
  return {state.at("step").get<int64_t>(), state.at("samples").get<int64_t>(), state.at("tokens").get<int64_t>()};
}

}  // namespace ds
