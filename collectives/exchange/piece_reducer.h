// The owner's side of a reduction: receives the same slice from all peers and adds the pieces as they come, in the
// fixed order of the ranks.
#pragma once

#include <vector>

#include "collectives/exchange/stream_set.h"

namespace ds {

class PieceReducer {
 public:
  // `own` is this rank's contribution, `out` may be the same memory. Adds one stream per peer to `streams.in`.
  PieceReducer(Group& group, const Call& call, int tag, const void* own, void* out, size_t bytes, DType dtype,
               ReduceOp op, StreamSet& streams);

  // Reduces every piece that has come from all; returns the bytes of `out` that are final.
  size_t advance();

 private:
  const char* own_;
  char* out_;
  const size_t bytes_, piece_;
  const DType dtype_;
  const ReduceOp op_;
  const int rank_, size_;
  std::vector<InStream*> from_;  // by rank; nullptr for this one
  std::vector<const void*> leaves_;
  ScratchPool::Block ring_;
  size_t done_ = 0;
};

// The largest piece that keeps the rings of all peers within a fixed memory; equal on all ranks.
int64_t reducing_piece_bytes(int64_t wanted, int group_size);

}  // namespace ds
