#include "collectives/exchange/piece_reducer.h"

#include <algorithm>

#include "collectives/ordered_sum.h"

namespace ds {
namespace {
constexpr int64_t kRingBudgetBytes = 32 << 20;
constexpr int64_t kSmallestPieceBytes = 16 << 10;
}  // namespace

int64_t reducing_piece_bytes(int64_t wanted, int group_size) {
  const int64_t fits = kRingBudgetBytes / (kWindow * std::max(1, group_size - 1));
  return std::min(wanted, std::max(kSmallestPieceBytes, fits)) / 64 * 64;
}

PieceReducer::PieceReducer(Group& group, const Call& call, int tag, const void* own, void* out, size_t bytes,
                           DType dtype, ReduceOp op, StreamSet& streams)
    : own_(static_cast<const char*>(own)),
      out_(static_cast<char*>(out)),
      bytes_(bytes),
      piece_(static_cast<size_t>(call.piece_bytes)),
      dtype_(dtype),
      op_(op),
      rank_(group.rank()),
      size_(group.size()),
      from_(size_, nullptr),
      leaves_(size_, nullptr) {
  const size_t ring_bytes = bytes_ <= kInlineBytes ? 0 : std::min(kWindow * piece_, (bytes_ + 63) / 64 * 64);
  ring_ = group.scratch->take(ring_bytes * (size_ - 1));
  char* next = ring_.data();
  in_rotated_order(group, [&](int, int from) {
    streams.in.push_back(InStream::through_ring(group, call, from, tag, next, bytes_));
    from_[from] = streams.in.back().get();
    if (ring_bytes > 0) next += ring_bytes;
  });
}

size_t PieceReducer::advance() {
  while (done_ < bytes_) {
    const size_t size = bytes_ <= kInlineBytes ? bytes_ : std::min(piece_, bytes_ - done_);
    for (int rank = 0; rank < size_; ++rank) {
      const InStream* stream = from_[rank];
      if (stream && stream->arrived() < done_ + size) return done_;
      leaves_[rank] = stream ? stream->at(done_) : own_ + done_;
    }
    reduce_in_order(out_ + done_, leaves_, static_cast<int64_t>(size / size_of(dtype_)), dtype_, op_);
    done_ += size;
    for (InStream* stream : from_)
      if (stream) stream->consume(done_);
  }
  return done_;
}

}  // namespace ds
