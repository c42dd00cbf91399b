// Messages between the ranks of one group: all that the exchange algorithms need to know of MPI, threads or anything
// else that moves bytes.
//
// Matching: a receive takes the oldest message of (peer, tag) that no earlier receive took. Nothing moves outside
// progress(). The size of a receive is at least the size of its message.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "collectives/communicator.h"

namespace ds {

using Ticket = int;                       // one message in flight
inline constexpr int kNumTags = 1 << 15;  // tags are 0 … kNumTags-1, what every MPI allows

class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Memory belongs to the caller until finished() said true or forget() was called.
  virtual Ticket send(const void* data, size_t bytes, int peer, int tag) = 0;
  virtual Ticket receive(void* data, size_t bytes, int peer, int tag) = 0;

  // Moves the messages of this rank in this group and in all groups that share its origin by split(). True when one of
  // them finished.
  virtual bool progress() = 0;
  // True when the message is through; the ticket is void afterwards. Throws when it failed.
  virtual bool finished(Ticket ticket) = 0;
  // Gives a message up after a failure: a receive writes no more. The group is of no use afterwards.
  virtual void forget(Ticket ticket) = 0;

  // Collective. Ranks with equal color >= 0 form a group ordered by key; a negative color gets nullptr.
  virtual std::unique_ptr<Transport> split(int color, int key) = 0;

  // The library's own reductions for Reduction::kFastest; nullopt where it has none for this type.
  virtual std::optional<Ticket> native_all_reduce(TensorView, ReduceOp) { return std::nullopt; }
  virtual std::optional<Ticket> native_reduce_scatter(ConstTensorView, TensorView, ReduceOp) { return std::nullopt; }
};

}  // namespace ds
