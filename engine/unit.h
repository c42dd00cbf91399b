// Marks a module as a unit: its parameters are gathered and freed together (engine.md section 6). One changed type per
// block in the user's own model:
//
//   struct BlockImpl : torch::nn::Module { torch::Tensor forward(torch::Tensor x); };
//   using Block = ds::Unit<BlockImpl>;   // instead of TORCH_MODULE(Block)
//
// Needed only where the default cut (elements of ModuleList and Sequential, else named children) is not the one wanted.
#pragma once

#include <utility>

#include <torch/nn/pimpl.h>

namespace ds {

// What list_parameters looks for.
struct UnitTag {
  virtual ~UnitTag() = default;
};

template <typename Impl>
struct TaggedUnit : Impl, UnitTag {
  using Impl::Impl;
};

template <typename Impl>
class Unit : public torch::nn::ModuleHolder<TaggedUnit<Impl>> {
 public:
  using torch::nn::ModuleHolder<TaggedUnit<Impl>>::ModuleHolder;
};

}  // namespace ds
