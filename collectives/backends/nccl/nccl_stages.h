// What each collective enqueues, as stages of an NcclOperation. Sums under Reduction::kFixed are exchanges followed by
// our own kernel, in the tree that the host's backends use: the same bits.
#pragma once

#include <vector>

#include "collectives/backends/nccl/nccl_operation.h"

namespace ds {

struct NcclRank {
  int rank = 0, size = 1;
};

using NcclStages = std::vector<NcclOperation::Stage>;

NcclStages all_gather_stages(ConstTensorView in, TensorView out);
NcclStages broadcast_stages(TensorView inout, int root);
NcclStages all_to_all_stages(NcclRank me, ConstTensorView in, TensorView out);
NcclStages ordered_all_reduce_stages(NcclRank me, TensorView inout, ReduceOp op);
NcclStages ordered_reduce_scatter_stages(NcclRank me, ConstTensorView in, TensorView out, ReduceOp op);

// NCCL's own reductions; not for uint16, which NCCL does not know.
bool nccl_reduces(DType dtype);
NcclStages native_all_reduce_stages(TensorView inout, ReduceOp op);
NcclStages native_reduce_scatter_stages(ConstTensorView in, TensorView out, ReduceOp op);

}  // namespace ds
