// Ranks talking to each other: the small face that every backend implements and the engine uses.
//
// Rules for all operations
// * Every rank of the group calls the same operations in the same order. Ranks that disagree get an Error (kDeadline
//   or kInternal) that names group, operation, sequence number and the ranks that are missing; never a silent hang.
// * Memory belongs to the caller and must stay valid and untouched until the Work is waited for.
// * Operations return at once with a Work; progress may happen only inside Work::test/wait (see the backend's page).
//   A Work that is destroyed unfinished waits first.
// * In place: all_gather when `in` is the own slice of `out`; reduce_scatter when `out` is the own slice of `in`;
//   all_reduce and broadcast always.
// * Sums of floating types under Reduction::kFixed: the owner of a slice adds the n pieces in fp32 (fp64 for fp64) by a
//   fixed balanced binary tree over the group's ranks ((0+1)+(2+3))… and rounds once to the tensor's type, also its own
//   result; so the bits depend on nothing but the group size and the values. int64 adds exactly.
// * A group of one rank works everywhere and copies at most.
// * One thread at a time per process.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "topology/dtype.h"

namespace ds {

struct TensorView {
  void* data = nullptr;
  int64_t count = 0;  // elements
  DType dtype = DType::kFloat32;
};
struct ConstTensorView {
  const void* data = nullptr;
  int64_t count = 0;
  DType dtype = DType::kFloat32;
  ConstTensorView() = default;
  ConstTensorView(const void* d, int64_t n, DType t) : data(d), count(n), dtype(t) {}
  ConstTensorView(TensorView v) : data(v.data), count(v.count), dtype(v.dtype) {}  // NOLINT: views convert freely
};

enum class ReduceOp { kSum, kMax, kMin };
enum class Reduction { kFixed, kFastest };

struct CommunicatorOptions {
  std::chrono::milliseconds deadline{std::chrono::minutes(10)};  // for each wait
  Reduction reduction = Reduction::kFixed;
  int64_t piece_bytes = 1 << 20;  // messages are cut to this size, so that summing overlaps transfer
};

// What a running operation looks like to its handle; backends derive from it.
class Operation {
 public:
  virtual ~Operation() = default;
  virtual bool test() = 0;  // makes progress; true when finished; throws on failure
  virtual void wait() = 0;  // until finished; throws kDeadline after CommunicatorOptions::deadline
};

// Move-only handle of an operation. Default-constructed: already finished.
class Work {
 public:
  Work() = default;
  explicit Work(std::unique_ptr<Operation> operation) : operation_(std::move(operation)) {}
  Work(Work&&) = default;
  Work& operator=(Work&&) = default;
  ~Work();
  bool test();
  void wait();

 private:
  std::unique_ptr<Operation> operation_;
};

// Bytes this rank handed to the transport for other ranks, by operation, since the start or the last reset.
struct Traffic {
  int64_t all_reduce = 0, all_gather = 0, reduce_scatter = 0, broadcast = 0, all_to_all = 0, point_to_point = 0;
  int64_t total() const {
    return all_reduce + all_gather + reduce_scatter + broadcast + all_to_all + point_to_point;
  }
};

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;  // within this group
  virtual int size() const = 0;
  virtual const std::string& name() const = 0;                    // "world", "data", …: appears in errors
  virtual const std::vector<int>& world_ranks() const = 0;        // world rank of each member
  virtual const CommunicatorOptions& options() const = 0;

  // inout: the same count and dtype on all ranks.
  virtual Work all_reduce(TensorView inout, ReduceOp op = ReduceOp::kSum) = 0;
  // out.count == in.count * size(); slice r of out is rank r's in.
  virtual Work all_gather(ConstTensorView in, TensorView out) = 0;
  // in.count == out.count * size(); rank r gets the reduced slice r.
  virtual Work reduce_scatter(ConstTensorView in, TensorView out, ReduceOp op = ReduceOp::kSum) = 0;
  virtual Work broadcast(TensorView inout, int root) = 0;
  // in and out have size() slices of equal count; slice r of in goes to rank r.
  virtual Work all_to_all(ConstTensorView in, TensorView out) = 0;
  virtual Work send(ConstTensorView data, int peer, int tag = 0) = 0;
  virtual Work receive(TensorView data, int peer, int tag = 0) = 0;
  virtual Work barrier() = 0;

  // The communicator of the ranks (of this group) listed, in that order; nullptr on ranks that are not listed.
  // Collective over this group: every rank passes its own list; lists of different ranks are equal or disjoint.
  virtual std::unique_ptr<Communicator> split(const std::vector<int>& ranks, const std::string& name) = 0;

  virtual const Traffic& traffic() const = 0;
  virtual void reset_traffic() = 0;
};

// A group of one: no MPI needed.
std::unique_ptr<Communicator> singleton_communicator(const std::string& name = "world");

}  // namespace ds
