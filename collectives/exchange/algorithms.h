// The operations, one algorithm per file. Each function checks nothing: sizes and ranks were checked by the caller.
//
// `tag` is the first of the two transport tags an operation owns.
#pragma once

#include <memory>

#include "collectives/exchange/progress.h"

namespace ds {

using GroupPointer = std::shared_ptr<Group>;

std::unique_ptr<Task> all_reduce_task(GroupPointer group, Call call, int tag, TensorView inout, ReduceOp op);
std::unique_ptr<Task> all_gather_task(GroupPointer group, Call call, int tag, ConstTensorView in, TensorView out);
std::unique_ptr<Task> reduce_scatter_task(GroupPointer group, Call call, int tag, ConstTensorView in, TensorView out,
                                          ReduceOp op);
std::unique_ptr<Task> broadcast_task(GroupPointer group, Call call, int tag, TensorView inout, int root);
std::unique_ptr<Task> all_to_all_task(GroupPointer group, Call call, int tag, ConstTensorView in, TensorView out);
std::unique_ptr<Task> barrier_task(GroupPointer group, Call call, int tag);
std::unique_ptr<Task> send_task(GroupPointer group, Call call, int tag, ConstTensorView data, int peer);
std::unique_ptr<Task> receive_task(GroupPointer group, Call call, int tag, TensorView data, int peer);
// One of the library's own operations, already under way.
std::unique_ptr<Task> native_task(GroupPointer group, Call call, Ticket ticket);

}  // namespace ds
