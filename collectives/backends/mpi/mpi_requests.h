// All MPI requests of this process in one table, so that one call tests them all.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "collectives/exchange/transport.h"

namespace ds {

class MpiRequests {
 public:
  // Takes over a request that MPI has just made; the ticket is its place in the table.
  Ticket add(MPI_Request request);
  bool progress();               // true when a request completed
  bool finished(Ticket ticket);  // frees the place when it is; throws kInternal when the message failed
  void forget(Ticket ticket);    // a receive is cancelled; MPI cannot take a send back

 private:
  enum class State : char { kFree, kRunning, kDone };
  std::vector<MPI_Request> requests_;  // MPI_REQUEST_NULL unless running
  std::vector<State> states_;
  std::vector<int> errors_;  // of requests that are done
  std::vector<Ticket> free_;
  int num_running_ = 0;
  std::vector<int> completed_;  // room for MPI_Testsome
  std::vector<MPI_Status> statuses_;
};

}  // namespace ds
