// Saving and loading training state: topology-free, crash-safe. docs/checkpoint_format.md describes the files.
//
// checkpoints/step<n>/manifest.json + shard files; checkpoints/latest = "step<n>\n".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "collectives/communicator.h"
#include "engine/checkpoint/piece.h"

namespace ds {

// State that is not a tensor: step, samples, tokens, seed, fingerprints, world size, stage, versions. Written into the
// manifest under "state".
struct SaveRequest {
  std::string folder;             // .../checkpoints
  int64_t step = 0;
  std::vector<TensorPiece> pieces;  // this rank's
  const nlohmann::json* state = nullptr;  // rank 0's counts
  std::string model_config_text;  // config.json, kept beside the manifest
  int64_t keep = 0;               // delete older complete checkpoints beyond this many; 0 = keep all
};

// Collective over `world`. Writes under step<n>.tmp-<random>, fsyncs files and folders, renames, rank 0 verifies all
// shards against the manifest, then replaces `latest` by rename. Blocks until `latest` names it on every rank.
// Throws on every rank if any rank fails; then nothing that existed before has changed. An existing complete step<n> is
// replaced only after the new one is complete. Left-over temporary folders of earlier crashes are removed.
void save_checkpoint(Communicator& world, const SaveRequest& request);

class CheckpointReader {
 public:
  // path: a step folder, a `checkpoints` folder (then what `latest` names) or an output folder with checkpoints/.
  // Throws kUsage when there is none, kCorrupt naming the file when the manifest is damaged or a shard is missing or
  // has a wrong size.
  explicit CheckpointReader(const std::string& path);
  ~CheckpointReader();
  CheckpointReader(CheckpointReader&&) noexcept;

  const std::string& folder() const;  // the step folder
  int64_t step() const;
  const nlohmann::json& state() const;
  const std::vector<TensorInfo>& tensors() const;
  bool has(const std::string& name, const std::string& kind) const;

  // Fills the pieces' memory. Every byte read is checked against the checksum of its block: kCorrupt naming file and
  // tensor. A tensor that is not there or has another shape: kUsage naming both shapes. dtype must be equal.
  void read(const std::vector<TensorPiece>& pieces) const;

  // Reads and checks everything; the problems found, each naming file and tensor.
  std::vector<std::string> verify() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The newest complete checkpoint below folder (…/checkpoints), or "" when there is none: what `latest` names; if
// `latest` is missing or damaged, the highest step whose manifest and shard sizes are right.
std::string newest_checkpoint(const std::string& folder);

}  // namespace ds
