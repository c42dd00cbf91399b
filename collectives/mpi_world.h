// MPI_COMM_WORLD as a Communicator, and the life of MPI in this process.
#pragma once

#include <memory>
#include <string>

#include "collectives/collective_counters.h"
#include "collectives/communicator.h"

namespace ds {

// Owns MPI_Init_thread (MPI_THREAD_SERIALIZED) and MPI_Finalize. At most one alive per process.
// The destructor finalizes; after a failure call abandon() first: then nothing waits for peers that are gone.
class MpiSession {
 public:
  MpiSession();  // throws kInternal when MPI cannot start
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  std::unique_ptr<Communicator> world(const CommunicatorOptions& options = {}, const CollectiveCounters& counters = {});
  std::string library_version() const;  // "Open MPI v4.1.4 …"
  void abandon();
  [[noreturn]] void abort(int exit_code);  // MPI_Abort on the world

 private:
  bool abandoned_ = false;
};

// True when this process was started as a rank of an MPI job (PMIx, mpirun, srun variables are there).
bool started_by_mpi();

}  // namespace ds
