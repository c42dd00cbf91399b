#include "collectives/nccl_world.h"

#include <cstring>
#include <numeric>

#include "collectives/backends/nccl/nccl_communicator.h"
#include "topology/base/error.h"

namespace ds {
namespace {

// What rank 0 tells all, and every rank tells all others.
struct Greeting {
  char absence[256];  // why this rank cannot take part; empty: it can
  char id[DS_NCCL_ID_BYTES];
};

std::string problem_here(const CudaSupport& cuda, int device) {
  if (!cuda.usable()) return cuda.absence;
  if (const std::string absence = cuda.nccl_absence(); !absence.empty()) return absence;
  if (const int code = cuda.module->table->set_device(device); code != 0)
    return "device " + std::to_string(device) + ": " + cuda.module->table->cuda_error(code);
  return "";
}

Greeting greeting_of(const Communicator& group, const CudaSupport& cuda, int device) {
  Greeting greeting{};
  std::string problem = problem_here(cuda, device);
  if (problem.empty() && group.rank() == 0) {
    try {
      std::memcpy(greeting.id, NcclHandle::unique_id(*cuda.module).data(), sizeof greeting.id);
    } catch (const Error& error) {
      problem = error.what();
    }
  }
  problem.copy(greeting.absence, sizeof greeting.absence - 1);
  return greeting;
}

}  // namespace

std::unique_ptr<Communicator> nccl_communicator(Communicator& bootstrap, const CudaSupport& cuda, int device) {
  std::vector<int> all(bootstrap.size());
  std::iota(all.begin(), all.end(), 0);
  std::unique_ptr<Communicator> split = bootstrap.split(all, bootstrap.name());
  auto* exchange = dynamic_cast<ExchangeCommunicator*>(split.get());
  if (!exchange)
    throw Error(ErrorCode::kInternal,
                "collectives: group " + bootstrap.name() + ": NCCL needs a group over host memory");
  split.release();
  std::unique_ptr<ExchangeCommunicator> host(exchange);
  const std::shared_ptr<Group> group = host->group();

  const Greeting own = greeting_of(*host, cuda, device);
  std::vector<Greeting> greetings(host->size());
  constexpr auto kBytes = static_cast<int64_t>(sizeof(Greeting));
  host->all_gather({&own, kBytes, DType::kUInt8}, {greetings.data(), kBytes * host->size(), DType::kUInt8}).wait();
  for (int rank = 0; rank < host->size(); ++rank)
    if (greetings[rank].absence[0] != '\0')
      throw Error(ErrorCode::kUnavailable, "collectives: " + group->label() + ": no NCCL on " + group->label(rank) +
                                               ": " + greetings[rank].absence);
  host->reset_traffic();
  group->next_sequence = 0;
  auto handle = std::make_shared<NcclHandle>(cuda.module, group->label(), host->size(), greetings[0].id, host->rank());
  wait_until_ready(*group, *handle, "the first communicator");
  return std::make_unique<NcclCommunicator>(std::move(host), std::move(handle), cuda.module);
}

}  // namespace ds
