// How many bytes an operation hands to the transport, exactly: for plans, and for tests that compare with Traffic.
//
// Heads (one of 32 bytes per stream) and barriers are not counted. Functions of (elements, dtype, group size, rank).
#pragma once

#include <cstdint>

#include "topology/dtype.h"

namespace ds {

// Messages so small that one round of everything to everyone beats two rounds of slices. In a group of two both send
// the same number of bytes.
bool all_reduce_is_small(int64_t count, DType dtype, int size);

// Large: (bytes - own slice) + (size - 1) * own slice, 2 * bytes * (size-1)/size when size divides count.
// Small: (size - 1) * bytes.
int64_t all_reduce_bytes_sent(int64_t count, DType dtype, int size, int rank);
int64_t all_gather_bytes_sent(int64_t in_count, DType dtype, int size);      // (size - 1) * bytes of `in`
int64_t reduce_scatter_bytes_sent(int64_t in_count, DType dtype, int size);  // (size - 1)/size of `in`
int64_t all_to_all_bytes_sent(int64_t in_count, DType dtype, int size);      // (size - 1)/size of `in`

// Small (or two ranks): the root sends bytes * (size - 1), the others nothing. Large: the root sends every other rank
// one of size - 1 slices, and they send theirs to each other.
bool broadcast_is_small(int64_t count, DType dtype, int size);
int64_t broadcast_bytes_sent(int64_t count, DType dtype, int size, int rank, int root);

}  // namespace ds
