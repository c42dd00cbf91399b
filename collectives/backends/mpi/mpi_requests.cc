#include "collectives/backends/mpi/mpi_requests.h"

#include "collectives/backends/mpi/check_mpi.h"

namespace ds {

Ticket MpiRequests::add(MPI_Request request) {
  if (free_.empty()) {
    free_.push_back(static_cast<Ticket>(requests_.size()));
    requests_.push_back(MPI_REQUEST_NULL);
    states_.push_back(State::kFree);
    errors_.push_back(MPI_SUCCESS);
    completed_.resize(requests_.size());
    statuses_.resize(requests_.size());
  }
  const Ticket ticket = free_.back();
  free_.pop_back();
  requests_[ticket] = request;
  states_[ticket] = State::kRunning;
  errors_[ticket] = MPI_SUCCESS;
  ++num_running_;
  return ticket;
}

bool MpiRequests::progress() {
  if (num_running_ == 0) return false;
  int count = 0;
  const int code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, completed_.data(),
                                statuses_.data());
  if (code != MPI_ERR_IN_STATUS) check_mpi(code, "MPI_Testsome");
  if (count == MPI_UNDEFINED) return false;
  for (int i = 0; i < count; ++i) {
    const Ticket ticket = completed_[i];
    states_[ticket] = State::kDone;
    if (code == MPI_ERR_IN_STATUS) errors_[ticket] = statuses_[i].MPI_ERROR;
  }
  num_running_ -= count;
  return count > 0;
}

bool MpiRequests::finished(Ticket ticket) {
  if (states_[ticket] != State::kDone) return false;
  states_[ticket] = State::kFree;
  free_.push_back(ticket);
  if (requests_[ticket] != MPI_REQUEST_NULL) MPI_Request_free(&requests_[ticket]);  // MPI keeps failed requests
  check_mpi(errors_[ticket], "a message");
  return true;
}

void MpiRequests::forget(Ticket ticket) {
  if (states_[ticket] == State::kRunning) {
    --num_running_;
    MPI_Cancel(&requests_[ticket]);
    MPI_Request_free(&requests_[ticket]);
  }
  requests_[ticket] = MPI_REQUEST_NULL;
  states_[ticket] = State::kFree;
  free_.push_back(ticket);
}

}  // namespace ds
