// Resident memory of training state against the table of representations: trains three sizes of a GPT under one stage and
// fits resident bytes against the bytes of the arenas. The slope should be 1 (within 5 %).
//
//   mpirun -np 2 memory_bench STAGE [fp32|bf16]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

#include <malloc.h>

#include <ATen/Parallel.h>

#include "collectives/mpi_world.h"
#include "engine/models/from_config.h"
#include "engine/train/trainer.h"

namespace {

// Pages of this process that are in memory.
double resident_bytes() {
  malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

ds::ModelConfig model(int64_t layers) {
  ds::ModelConfig c;
  c.vocab_size = 257;
  c.hidden_size = 512;
  c.num_layers = layers;
  c.num_heads = c.num_kv_heads = 8;
  c.head_dim = 64;
  c.intermediate_size = 2048;
  c.max_positions = 64;
  c.tie_embeddings = true;
  return c;
}

class Zeros : public ds::TokenSource {
 public:
  int64_t size() const override { return 1 << 16; }
  void read(int64_t, int64_t count, int64_t* out) const override { std::fill_n(out, count, 7); }
  std::string fingerprint() const override { return "zeros"; }
  std::string describe() const override { return "zeros"; }
};

struct Point {
  double arenas = 0, resident = 0;
};

Point measure(int64_t layers, int stage, ds::Precision precision, ds::Communicator& world) {
  const double before = resident_bytes();
  ds::Settings s;
  s.batch = {world.size(), 1, 1};
  s.data.sequence_length = 32;
  s.precision = precision;
  s.zero.stage = stage;
  s.mesh_order = ds::ProcessMesh::default_order();
  ds::Trainer trainer(s, model(layers), world);
  ds::initialise_weights(trainer.store(), 1);
  const ds::BatchLoader data(std::make_unique<Zeros>(), ds::SampleIndex(1 << 16, 32, false, 0, "zeros"), 257);
  for (int step = 0; step < 3; ++step) trainer.train_step(data, step);
  Point point;
  for (const ds::Arena& arena : trainer.store().arenas()) point.arenas += static_cast<double>(arena.bytes());
  point.resident = resident_bytes() - before;
  return point;
}

}  // namespace

int main(int argc, char** argv) {
  const int stage = argc > 1 ? std::atoi(argv[1]) : 0;
  const auto precision = argc > 2 && std::strcmp(argv[2], "bf16") == 0 ? ds::Precision::kBFloat16 : ds::Precision::kFloat32;
  at::set_num_threads(1);
  std::optional<ds::MpiSession> mpi;
  if (ds::started_by_mpi()) mpi.emplace();
  const auto world = mpi ? mpi->world() : ds::singleton_communicator();
  measure(1, stage, precision, *world);  // libraries and kernels come into memory
  std::vector<Point> points;
  for (const int64_t layers : {4, 12, 24}) points.push_back(measure(layers, stage, precision, *world));
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const Point& p : points) x += p.arenas, y += p.resident, xx += p.arenas * p.arenas, xy += p.arenas * p.resident;
  const double n = static_cast<double>(points.size());
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  if (world->rank() == 0) {
    for (const Point& p : points) std::printf("arenas %.1f MiB  resident %.1f MiB\n", p.arenas / 1048576, p.resident / 1048576);
    std::printf("{\"bench\":\"memory\",\"stage\":%d,\"precision\":\"%s\",\"ranks\":%d,\"slope\":%.3f}\n", stage,
                precision == ds::Precision::kBFloat16 ? "bf16" : "fp32", world->size(), slope);
  }
  return 0;
}
