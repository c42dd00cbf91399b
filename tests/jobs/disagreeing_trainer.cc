// Stands in for dsengine: ranks that train nothing but exchange floats, until in the middle of the job rank 1 does something else
// than the others, as $DISAGREEMENT says: "sizes", it expects a float in a collective where nobody sends any, and the others go on
// to the next one; "absent", it waits for a message instead of entering the collective.
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>

#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "agent/contract.h"

namespace {

constexpr int64_t kStepsInAgreement = 1000;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

ds::RankBlock* shared_block() {
  const int file = ::open(variable(ds::kBlockVariable).c_str(), O_RDWR | O_CLOEXEC);
  void* memory = ::mmap(nullptr, sizeof(ds::RankBlock), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) std::abort();
  return static_cast<ds::RankBlock*>(memory);
}

// Floats to and from every rank, none or one each.
void exchange(ds::RankBlock& block, const std::vector<int>& sent, const std::vector<int>& expected) {
  std::vector<int> places(sent.size());
  std::iota(places.begin(), places.end(), 0);
  std::vector<float> out(sent.size()), in(sent.size());
  MPI_Request request;
  ++block.collective_sequence;
  MPI_Ialltoallv(out.data(), sent.data(), places.data(), MPI_FLOAT, in.data(), expected.data(), places.data(), MPI_FLOAT,
                 MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  ++block.collectives_done;
  ++block.beat;
}

}  // namespace

int main() {
  ds::RankBlock& block = *shared_block();
  int rank = 0, size = 0;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  block.phase = static_cast<uint32_t>(ds::RankPhase::kTraining);
  const std::vector<int> one(size, 1), none(size, 0);
  std::vector<int> one_from_rank_0 = none;
  one_from_rank_0[0] = 1;
  for (block.step = 0; block.step < kStepsInAgreement; ++block.step) exchange(block, one, one);
  const bool disagrees = rank == 1;
  float never = 0;
  if (disagrees && variable("DISAGREEMENT") == "absent") MPI_Recv(&never, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  exchange(block, none, disagrees ? one_from_rank_0 : none);
  exchange(block, one, one);
  MPI_Finalize();
}
