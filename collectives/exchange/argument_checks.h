// What the arguments of an operation must be, before anything is sent. All throw kInternal naming group and argument.
#pragma once

#include <string>

#include "collectives/exchange/group.h"

namespace ds {

void require(const Group& group, bool condition, const std::string& what);

void check_all_gather(const Group& group, ConstTensorView in, TensorView out);
void check_reduce_scatter(const Group& group, ConstTensorView in, TensorView out);
void check_all_to_all(const Group& group, ConstTensorView in, TensorView out);
void check_root(const Group& group, int root);
void check_message(const Group& group, bool sending, int peer, int tag, int num_tags);

}  // namespace ds
