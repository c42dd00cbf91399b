#include "tests/engine/core/tiny.h"

#include <algorithm>

#include "engine/random/philox.h"

namespace ds::tiny {
namespace {

class MemorySource : public TokenSource {
 public:
  explicit MemorySource(std::vector<int64_t> tokens) : tokens_(std::move(tokens)) {}
  int64_t size() const override { return static_cast<int64_t>(tokens_.size()); }
  void read(int64_t offset, int64_t count, int64_t* out) const override {
    std::copy_n(tokens_.begin() + offset, count, out);
  }
  std::string fingerprint() const override { return "memory"; }
  std::string describe() const override { return "memory"; }

 private:
  std::vector<int64_t> tokens_;
};

ModelConfig base() {
  ModelConfig c;
  c.vocab_size = 67;
  c.hidden_size = 32;
  c.num_layers = 2;
  c.num_heads = 4;
  c.num_kv_heads = 4;
  c.head_dim = 8;
  c.intermediate_size = 72;
  c.max_positions = 32;
  c.initializer_range = 0.08;
  return c;
}

}  // namespace

ModelConfig gpt2() {
  ModelConfig c = base();
  c.architecture = Architecture::kGpt2;
  c.tie_embeddings = true;
  c.intermediate_size = 128;
  return c;
}

ModelConfig llama() {
  ModelConfig c = base();
  c.architecture = Architecture::kLlama;
  c.num_kv_heads = 2;
  c.activation = "silu";
  c.norm_epsilon = 1e-6;
  return c;
}

Settings settings(const Run& run) {
  Settings s;
  s.job_name = "tiny";
  s.seed = 11;
  s.steps = 20;
  s.data.sequence_length = 16;
  s.data.shuffle = run.shuffle;
  s.batch = {12, 12 / (run.world * run.accumulation), run.accumulation};
  s.precision = run.precision;
  s.optimizer.learning_rate = 3e-3;
  s.zero.stage = run.stage;
  s.mesh_order = ProcessMesh::default_order();
  s.parallel.data = run.world;
  return s;
}

std::unique_ptr<BatchLoader> data(const Settings& settings, int64_t vocab_size) {
  std::vector<int64_t> tokens;
  for (uint32_t i = 0; i < 4000; ++i) {
    const uint32_t word = philox({i / 3, 0, 0, 0}, {5, 0})[0];
    tokens.push_back((word % 13 * 5 + i % 3) % static_cast<uint32_t>(vocab_size));
  }
  auto source = std::make_unique<MemorySource>(std::move(tokens));
  const SampleIndex index(source->size(), settings.data.sequence_length, settings.data.shuffle, settings.seed, "memory");
  return std::make_unique<BatchLoader>(std::move(source), index, vocab_size);
}

}  // namespace ds::tiny
