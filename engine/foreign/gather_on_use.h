// Gathers a unit when an operator first takes one of its tensors, in modules that we did not write: a dispatcher
// callback sees every operator with its inputs before it runs, in forward and backward (build.md section 7).
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>

#include "engine/zero/parameter_store.h"

namespace ds {

class GatherOnUse {
 public:
  // on_gather(unit) is called before each gather. At most `capacity` units stay gathered beside those that the running
  // operators use; the least recently used goes first, so the order is the same on every rank.
  GatherOnUse(ParameterStore& store, int capacity, std::function<void(int unit)> on_gather);
  ~GatherOnUse();
  GatherOnUse(const GatherOnUse&) = delete;
  GatherOnUse& operator=(const GatherOnUse&) = delete;

  void use(int unit);     // gathers it if needed
  // The dispatcher swallows exceptions of callbacks; the operator then fails because its unit is released. Throws the
  // first cause, if there was one.
  void rethrow_failure();
  void release_all();     // at the end of a backward, and before parameters change

 private:
  struct Callback;
  void shrink_to(size_t count);

  ParameterStore& store_;
  size_t capacity_;
  std::function<void(int)> on_gather_;
  std::unordered_map<const void*, int> unit_of_storage_;
  std::list<int> recent_;         // gathered units, most recently used first
  std::vector<int> pins_;         // per unit: running operators that use it
  std::exception_ptr failure_;
  uint64_t handle_ = 0;
};

}  // namespace ds
