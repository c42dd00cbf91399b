// Step time of training against two yardsticks, modes alternating step by step in one program, with a barrier before
// and after every step; medians of paired ratios (performance.md section 2).
//
//   one rank:   train_bench [rounds] [fp32|bf16]   plain libtorch loop / ours (1.00 = equal, above = we are faster)
//   two ranks:  mpirun -np 2 train_bench   ZeRO 0-3 / the same two ranks without any communication (below 1.05 is the goal)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>

#include "collectives/mpi_world.h"
#include "engine/models/from_config.h"
#include "engine/random/philox.h"
#include "engine/train/trainer.h"
#include "tests/perf/plain_gpt.h"

namespace ds {
namespace {

constexpr int64_t kBatch = 8, kLength = 256;

ModelConfig model() {
  ModelConfig c;
  c.vocab_size = 257;
  c.hidden_size = 384;
  c.num_layers = 6;
  c.num_heads = c.num_kv_heads = 6;
  c.head_dim = 64;
  c.intermediate_size = 4 * 384;
  c.max_positions = kLength;
  c.tie_embeddings = true;
  return c;
}

class RandomTokens : public TokenSource {
 public:
  int64_t size() const override { return 1 << 20; }
  void read(int64_t offset, int64_t count, int64_t* out) const override {
    for (int64_t i = 0; i < count; ++i)
      out[i] = philox({static_cast<uint32_t>(offset + i), 0, 0, 0}, {7, 0})[0] % 251;
  }
  std::string fingerprint() const override { return "random"; }
  std::string describe() const override { return "random"; }
};

Settings settings(int stage, Precision precision, int64_t train, int ranks) {
  Settings s;
  s.batch = {train, train / ranks, 1};
  s.steps = 1000;
  s.data.sequence_length = kLength;
  s.data.shuffle = false;
  s.precision = precision;
  s.zero.stage = stage;
  s.mesh_order = ProcessMesh::default_order();
  return s;
}

struct Mode {
  std::string name;
  std::function<double(int64_t step)> step;  // returns the loss
  std::vector<double> seconds;
};

std::function<double(int64_t)> trainer_mode(const Settings& s, Communicator& group, const BatchLoader& data) {
  auto trainer = std::make_shared<Trainer>(s, model(), group);
  initialise_weights(trainer->store(), s.seed);
  return [trainer, &data](int64_t step) { return trainer->train_step(data, step).loss; };
}

std::function<double(int64_t)> plain_mode(Precision precision, const BatchLoader& data) {
  auto plain = std::make_shared<PlainGpt>(model(), precision == Precision::kFloat32 ? at::kFloat : at::kBFloat16, 1234);
  return [plain, &data](int64_t step) {
    const Batch batch = data.micro_batch(step, kBatch, kBatch, 0, 1, 0);
    const auto matrix = [&](const std::vector<int64_t>& v) {
      return at::from_blob(const_cast<int64_t*>(v.data()), {kBatch, kLength}, at::kLong).clone();
    };
    return plain->step(matrix(batch.tokens), matrix(batch.labels), kBatch);
  };
}

void measure(std::vector<Mode>& modes, Communicator& world, int64_t rounds) {
  for (int64_t round = -2; round < rounds; ++round)
    for (size_t i = 0; i < modes.size(); ++i) {
      Mode& mode = modes[(i + static_cast<size_t>(round + 2)) % modes.size()];  // no mode always follows the same one
      world.barrier().wait();
      const auto start = std::chrono::steady_clock::now();
      mode.step(round + 2);
      world.barrier().wait();
      if (round >= 0)
        mode.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

void print(const std::vector<Mode>& modes, const char* precision, int ranks) {
  for (const Mode& mode : modes) {
    std::vector<double> ratios;
    for (size_t i = 0; i < mode.seconds.size(); ++i) ratios.push_back(mode.seconds[i] / modes[0].seconds[i]);
    std::printf("{\"bench\":\"train\",\"ranks\":%d,\"precision\":\"%s\",\"mode\":\"%s\",\"against\":\"%s\",\"median_ms\":%.1f,"
                "\"ratio\":%.3f,\"ratio_p10\":%.3f,\"ratio_p90\":%.3f,\"rounds\":%zu}\n",
                ranks, precision, mode.name.c_str(), modes[0].name.c_str(), 1e3 * quantile(mode.seconds, 0.5),
                quantile(ratios, 0.5), quantile(ratios, 0.1), quantile(ratios, 0.9), ratios.size());
  }
  std::fflush(stdout);
}

int run(Communicator& world, int64_t rounds, const std::vector<Precision>& precisions) {
  at::set_num_threads(1);
  const auto alone = singleton_communicator();
  const SampleIndex index(RandomTokens().size(), kLength, false, 0, "random");
  const BatchLoader data(std::make_unique<RandomTokens>(), index, 257);
  for (const Precision precision : precisions) {
    const char* name = precision == Precision::kFloat32 ? "fp32" : "bf16";
    std::vector<Mode> modes;
    if (world.size() == 1)
      modes.push_back({"plain libtorch", plain_mode(precision, data), {}});
    else
      modes.push_back({"no communication", trainer_mode(settings(0, precision, kBatch / world.size(), 1), *alone, data), {}});
    for (int stage : {0, 1, 2, 3})
      modes.push_back({"zero" + std::to_string(stage), trainer_mode(settings(stage, precision, kBatch, world.size()), world, data), {}});
    measure(modes, world, rounds);
    if (world.rank() == 0) print(modes, name, world.size());
  }
  return 0;
}

}  // namespace
}  // namespace ds

int main(int argc, char** argv) {
  const int64_t rounds = argc > 1 ? std::atoll(argv[1]) : 15;
  std::vector<ds::Precision> precisions = {ds::Precision::kFloat32, ds::Precision::kBFloat16};
  if (argc > 2) precisions = {std::string(argv[2]) == "bf16" ? ds::Precision::kBFloat16 : ds::Precision::kFloat32};
  std::optional<ds::MpiSession> mpi;
  if (ds::started_by_mpi()) mpi.emplace();
  const auto world = mpi ? mpi->world() : ds::singleton_communicator();
  return ds::run(*world, rounds, precisions);
}
