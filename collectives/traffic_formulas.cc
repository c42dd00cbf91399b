#include "collectives/traffic_formulas.h"

#include "collectives/exchange/slices.h"

namespace ds {
namespace {

constexpr int64_t kSmallBytes = 1024;
constexpr int64_t kSmallBytesOfTwo = 64 << 10;
constexpr int64_t kSmallBroadcastBytes = 16 << 10;

int64_t bytes_of(int64_t count, DType dtype) { return count * static_cast<int64_t>(size_of(dtype)); }

}  // namespace

bool all_reduce_is_small(int64_t count, DType dtype, int size) {
  return bytes_of(count, dtype) <= (size <= 2 ? kSmallBytesOfTwo : kSmallBytes);
}

int64_t all_reduce_bytes_sent(int64_t count, DType dtype, int size, int rank) {
  if (all_reduce_is_small(count, dtype, size)) return (size - 1) * bytes_of(count, dtype);
  const int64_t own = Slices{count, size}.size(rank);
  return bytes_of(count - own + (size - 1) * own, dtype);
}

int64_t all_gather_bytes_sent(int64_t in_count, DType dtype, int size) {
  return (size - 1) * bytes_of(in_count, dtype);
}

int64_t reduce_scatter_bytes_sent(int64_t in_count, DType dtype, int size) {
  return bytes_of(in_count / size * (size - 1), dtype);
}

int64_t all_to_all_bytes_sent(int64_t in_count, DType dtype, int size) {
  return reduce_scatter_bytes_sent(in_count, dtype, size);
}

bool broadcast_is_small(int64_t count, DType dtype, int size) {
  return size <= 2 || bytes_of(count, dtype) <= kSmallBroadcastBytes;
}

int64_t broadcast_bytes_sent(int64_t count, DType dtype, int size, int rank, int root) {
  if (broadcast_is_small(count, dtype, size)) return rank == root ? (size - 1) * bytes_of(count, dtype) : 0;
  if (rank == root) return bytes_of(count, dtype);
  const int part = (rank - root - 1 + size) % size;
  return bytes_of((size - 2) * Slices{count, size - 1}.size(part), dtype);
}

}  // namespace ds
