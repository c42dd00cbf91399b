// How long our collectives take against MPI's own, alternating in one run on the same memory:
//   mpirun -np N collectives_bench [megabytes …]
// Prints the median of the paired ratios ours/MPI (below 1: ours is faster) and the best times.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "collectives/mpi_world.h"

namespace {

using Step = std::function<void()>;

struct Pair {
  const char* name;
  Step ours, theirs;
};

// Seconds of the slowest rank.
double timed(const Step& step) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  step();
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

void compare(const Pair& pair, int64_t bytes, int rounds, bool print) {
  std::vector<double> ratios;
  double best_ours = 1e30, best_theirs = 1e30;
  for (int round = -2; round < rounds; ++round) {  // two rounds to touch the memory
    const double ours = timed(pair.ours), theirs = timed(pair.theirs);
    if (round < 0) continue;
    ratios.push_back(ours / theirs);
    best_ours = std::min(best_ours, ours);
    best_theirs = std::min(best_theirs, theirs);
  }
  std::nth_element(ratios.begin(), ratios.begin() + ratios.size() / 2, ratios.end());
  if (!print) return;
  std::printf("%-26s %10.3f MB  ratio %5.2f  best %9.3f ms against %9.3f ms (%.2f)\n", pair.name,
              static_cast<double>(bytes) / 1e6, ratios[ratios.size() / 2], best_ours * 1e3, best_theirs * 1e3,
              best_ours / best_theirs);
  std::fflush(stdout);
}

// Buffers of all operations at one size; `count` floats, a multiple of the number of ranks.
void compare_all(ds::Communicator& world, int64_t count, int rounds) {
  using ds::DType;
  const int n = static_cast<int>(count), slice = n / world.size();
  std::vector<float> a(count, 1.0f), b(count, 1.0f);
  std::vector<uint16_t> half(count, 0x3f80);
  float* own = b.data() + static_cast<int64_t>(slice) * world.rank();
  const ds::TensorView all{a.data(), count, DType::kFloat32}, part{own, slice, DType::kFloat32};
  const ds::TensorView whole{b.data(), count, DType::kFloat32};
  const Step mpi_all_reduce = [&] {
    MPI_Allreduce(MPI_IN_PLACE, a.data(), n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  };
  const int64_t bytes = count * 4;
  const bool print = world.rank() == 0;
  compare({"all_reduce fp32", [&] { world.all_reduce(all).wait(); }, mpi_all_reduce}, bytes, rounds, print);
  compare({"all_reduce bf16 / MPI fp32",
           [&] { world.all_reduce({half.data(), count, DType::kBFloat16}).wait(); }, mpi_all_reduce},
          bytes / 2, rounds, print);
  compare({"reduce_scatter fp32", [&] { world.reduce_scatter(all, part).wait(); },
           [&] { MPI_Reduce_scatter_block(a.data(), own, slice, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }},
          bytes, rounds, print);
  compare({"all_gather fp32", [&] { world.all_gather(part, whole).wait(); },
           [&] {
             MPI_Allgather(MPI_IN_PLACE, slice, MPI_FLOAT, b.data(), slice, MPI_FLOAT, MPI_COMM_WORLD);
           }},
          bytes, rounds, print);
  compare({"all_to_all fp32", [&] { world.all_to_all(all, whole).wait(); },
           [&] { MPI_Alltoall(a.data(), slice, MPI_FLOAT, b.data(), slice, MPI_FLOAT, MPI_COMM_WORLD); }},
          bytes, rounds, print);
  compare({"broadcast fp32", [&] { world.broadcast(all, 0).wait(); },
           [&] { MPI_Bcast(a.data(), n, MPI_FLOAT, 0, MPI_COMM_WORLD); }},
          bytes, rounds, print);
}

}  // namespace

int main(int argc, char** argv) {
  ds::MpiSession session;
  ds::CommunicatorOptions options;
  if (const char* piece = std::getenv("BENCH_PIECE_BYTES")) options.piece_bytes = std::atoll(piece);
  auto world = session.world(options);
  std::vector<double> megabytes;
  for (int i = 1; i < argc; ++i) megabytes.push_back(std::atof(argv[i]));
  if (megabytes.empty()) megabytes = {8e-6, 0.001024, 0.065536, 1.048576, 16.777216, 43.36};
  for (double size : megabytes) {
    const auto count = static_cast<int64_t>(size * 1e6 / 4) / world->size() * world->size();
    compare_all(*world, std::max<int64_t>(count, world->size()), size < 0.1 ? 2000 : size < 2 ? 200 : 15);
  }
}
