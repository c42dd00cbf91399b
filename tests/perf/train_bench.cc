// Step time of training against two yardsticks, modes alternating step by step in one program, with a barrier before
// and after every step; medians of paired ratios (performance.md section 2).
//
//   one rank:   train_bench [rounds] [fp32|bf16]   ZeRO 0-3 / a plain libtorch loop (1.02 is the goal)
//   two ranks:  mpirun -np 2 train_bench   ZeRO 0-3 / the same two ranks without any communication (below 1.05 is the goal)
//   one mode:   train_bench only yardstick|zero0|zero1|zero2|zero3 fp32|bf16 FILE   endlessly, for train_slices_bench
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
#include "tests/perf/step_record.h"

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

// One of the modes below: what it is measured against, or a stage.
Mode yardstick(Precision precision, Communicator& world, Communicator& alone, const BatchLoader& data) {
  if (world.size() == 1) return {"plain libtorch", plain_mode(precision, data), {}};
  return {"no communication", trainer_mode(settings(0, precision, kBatch / world.size(), 1), alone, data), {}};
}

Mode zero(int stage, Precision precision, Communicator& world, const BatchLoader& data) {
  return {"zero" + std::to_string(stage), trainer_mode(settings(stage, precision, kBatch, world.size()), world, data), {}};
}

Precision precision_of(const std::string& word) { return word == "bf16" ? Precision::kBFloat16 : Precision::kFloat32; }

BatchLoader random_batches() {
  const SampleIndex index(RandomTokens().size(), kLength, false, 0, "random");
  return BatchLoader(std::make_unique<RandomTokens>(), index, 257);
}

int run(Communicator& world, int64_t rounds, const std::vector<std::string>& precisions) {
  const auto alone = singleton_communicator();
  const BatchLoader data = random_batches();
  for (const std::string& precision : precisions) {
    std::vector<Mode> modes = {yardstick(precision_of(precision), world, *alone, data)};
    for (int stage : {0, 1, 2, 3}) modes.push_back(zero(stage, precision_of(precision), world, data));
    measure(modes, world, rounds);
    if (world.rank() == 0) print(modes, precision.c_str(), world.size());
  }
  return 0;
}

// Ends when it is killed.
[[noreturn]] void run_only(Communicator& world, const std::string& name, Precision precision, bench::StepRecord& record) {
  const auto alone = singleton_communicator();
  const BatchLoader data = random_batches();
  const Mode mode = name == "yardstick" ? yardstick(precision, world, *alone, data)
                                        : zero(std::stoi(name.substr(4)), precision, world, data);
  for (int64_t step = 0;; ++step) {
    world.barrier().wait();
    if (step >= 2) record.step_ended(world.rank());  // the first two warm caches and allocators
    mode.step(step % 1000);
  }
}

}  // namespace
}  // namespace ds

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  at::set_num_threads(1);
  std::optional<ds::MpiSession> mpi;
  if (ds::started_by_mpi()) mpi.emplace();
  const auto world = mpi ? mpi->world() : ds::singleton_communicator();
  if (words.size() == 4 && words[0] == "only")
    ds::run_only(*world, words[1], ds::precision_of(words[2]), ds::bench::StepRecord::open(words[3]));
  const int64_t rounds = !words.empty() ? std::stoll(words[0]) : 15;
  return ds::run(*world, rounds, words.size() > 1 ? std::vector{words[1]} : std::vector<std::string>{"fp32", "bf16"});
}
