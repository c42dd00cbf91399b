#include "collectives/mpi_world.h"

#include <mpi.h>

#include <cstdlib>

#include "collectives/backends/mpi/check_mpi.h"
#include "collectives/backends/mpi/mpi_transport.h"
#include "collectives/exchange/exchange_communicator.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {

MpiSession::MpiSession() {
  int initialized = 0;
  check_mpi(MPI_Initialized(&initialized), "MPI_Initialized");
  if (initialized) throw Error(ErrorCode::kInternal, "collectives: MPI was started before in this process");
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (provided < MPI_THREAD_SERIALIZED) {
    MPI_Finalize();
    throw Error(ErrorCode::kInternal, "collectives: this MPI has no MPI_THREAD_SERIALIZED");
  }
}

MpiSession::~MpiSession() {
  if (!abandoned_) MPI_Finalize();
}

std::unique_ptr<Communicator> MpiSession::world(const CommunicatorOptions& options,
                                                const CollectiveCounters& counters) {
  MPI_Comm own = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &own), "MPI_Comm_dup");
  auto transport = std::make_shared<MpiTransport>(own, std::make_shared<MpiRequests>());
  return std::make_unique<ExchangeCommunicator>(std::move(transport), "world", options, counters);
}

std::string MpiSession::library_version() const {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check_mpi(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  const std::string version(text, length);
  return version.substr(0, version.find(','));
}

void MpiSession::abandon() { abandoned_ = true; }

void MpiSession::abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

bool started_by_mpi() {
  for (const char* name : {"PMIX_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE"})
    if (std::getenv(name)) return true;
  return std::getenv("SLURM_STEP_ID") && std::getenv("PMIX_NAMESPACE");
}

}  // namespace ds
