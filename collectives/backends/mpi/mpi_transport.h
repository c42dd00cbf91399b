// Messages over a communicator of Open MPI's that nobody else uses.
#pragma once

#include <mpi.h>

#include <memory>

#include "collectives/backends/mpi/mpi_requests.h"
#include "collectives/exchange/transport.h"

namespace ds {

class MpiTransport final : public Transport {
 public:
  // Takes over `communicator`; all transports of a process share one table.
  MpiTransport(MPI_Comm communicator, std::shared_ptr<MpiRequests> requests);
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Ticket send(const void* data, size_t bytes, int peer, int tag) override;
  Ticket receive(void* data, size_t bytes, int peer, int tag) override;
  bool progress() override { return requests_->progress(); }
  bool finished(Ticket ticket) override { return requests_->finished(ticket); }
  void forget(Ticket ticket) override { requests_->forget(ticket); }
  std::unique_ptr<Transport> split(int color, int key) override;
  std::optional<Ticket> native_all_reduce(TensorView inout, ReduceOp op) override;
  std::optional<Ticket> native_reduce_scatter(ConstTensorView in, TensorView out, ReduceOp op) override;

 private:
  MPI_Comm communicator_;
  std::shared_ptr<MpiRequests> requests_;
  int rank_ = 0, size_ = 1;
};

}  // namespace ds
