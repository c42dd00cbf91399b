#include "collectives/backends/mpi/mpi_transport.h"

#include <limits>

#include "collectives/backends/mpi/check_mpi.h"

namespace ds {
namespace {

std::optional<MPI_Datatype> type_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return MPI_FLOAT;
    case DType::kFloat64:
      return MPI_DOUBLE;
    case DType::kInt64:
      return MPI_INT64_T;
    case DType::kInt32:
      return MPI_INT32_T;
    case DType::kBFloat16:
    case DType::kFloat16:
    case DType::kUInt16:
    case DType::kUInt8:
      return std::nullopt;
  }
  return std::nullopt;
}

MPI_Op operation_of(ReduceOp op) {
  return op == ReduceOp::kSum ? MPI_SUM : op == ReduceOp::kMax ? MPI_MAX : MPI_MIN;
}

bool fits(int64_t count) { return count <= std::numeric_limits<int>::max(); }

}  // namespace

MpiTransport::MpiTransport(MPI_Comm communicator, std::shared_ptr<MpiRequests> requests)
    : communicator_(communicator), requests_(std::move(requests)) {
  MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
  check_mpi(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(communicator_, &size_), "MPI_Comm_size");
}

MpiTransport::~MpiTransport() {
  int finalized = 0;
  if (MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized) MPI_Comm_free(&communicator_);
}

Ticket MpiTransport::send(const void* data, size_t bytes, int peer, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, peer, tag, communicator_, &request), "MPI_Isend");
  return requests_->add(request);
}

Ticket MpiTransport::receive(void* data, size_t bytes, int peer, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, peer, tag, communicator_, &request), "MPI_Irecv");
  return requests_->add(request);
}

std::unique_ptr<Transport> MpiTransport::split(int color, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(communicator_, color < 0 ? MPI_UNDEFINED : color, key, &part), "MPI_Comm_split");
  return part == MPI_COMM_NULL ? nullptr : std::make_unique<MpiTransport>(part, requests_);
}

std::optional<Ticket> MpiTransport::native_all_reduce(TensorView inout, ReduceOp op) {
  const auto type = type_of(inout.dtype);
  if (!type || !fits(inout.count)) return std::nullopt;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, inout.data, static_cast<int>(inout.count), *type, operation_of(op),
                           communicator_, &request),
            "MPI_Iallreduce");
  return requests_->add(request);
}

std::optional<Ticket> MpiTransport::native_reduce_scatter(ConstTensorView in, TensorView out, ReduceOp op) {
  const auto type = type_of(in.dtype);
  const char* own = static_cast<const char*>(in.data) + rank_ * out.count * size_of(out.dtype);
  const bool in_place = own == out.data;  // MPI's in-place variant wants the result elsewhere
  if (!type || !fits(in.count) || in_place) return std::nullopt;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ireduce_scatter_block(in.data, out.data, static_cast<int>(out.count), *type, operation_of(op),
                                      communicator_, &request),
            "MPI_Ireduce_scatter_block");
  return requests_->add(request);
}

}  // namespace ds
