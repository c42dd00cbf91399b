// The parameters of a model on one rank, under any ZeRO stage: their memory, the leaf tensors that forward and backward
// use, gathering and releasing units (stage 3), and keeping work copies equal to the masters.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "collectives/communicator.h"
#include "engine/device/device_kernels.h"
#include "engine/sharding/representation.h"
#include "engine/zero/arena.h"

namespace ds {

class ParameterStore {
 public:
  // group: the data-parallel group over which states are spread; outlives the store. All ranks pass the same model.
  // kernels: what computes on options.cuda_device beside libtorch; nullptr on the CPU.
  ParameterStore(std::vector<Parameter> parameters, std::vector<UnitDefinition> units, const StageOptions& options,
                 Communicator& group, std::shared_ptr<const DeviceKernels> kernels = nullptr);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<UnitLayout>& layouts() const { return layouts_; }
  const StageOptions& options() const { return options_; }
  Communicator& group() const { return group_; }
  c10::Device device() const { return device_; }
  const DeviceKernels* kernels() const { return kernels_.get(); }
  int num_units() const { return static_cast<int>(layouts_.size()); }
  int unit_of(int parameter) const { return unit_of_[parameter]; }
  int slot_of(int parameter) const { return slot_of_[parameter]; }  // position within its unit's layout

  // The leaf tensor of the parameter, of its true shape and work dtype. The same object for ever; its memory is there
  // while the unit is gathered (always, below stage 3).
  const at::Tensor& tensor(int parameter) const { return tensors_[parameter]; }

  // Makes somebody else's tensor (a module's parameter) the leaf tensor: it gets our memory and dtype, and stays the
  // object that its module knows.
  void adopt(int parameter, const at::Tensor& tensor);

  // Stage 3: collective over the group. Gathering twice counts: as many releases free it. Below stage 3: nothing.
  void gather(int unit);
  void release(int unit);
  bool gathered(int unit) const;
  int64_t gathers() const { return num_gathers_; }
  int64_t peak_gathered_bytes() const { return gathered_slots_ ? gathered_slots_->peak_bytes() : 0; }

  Arena& arena(Kind kind);
  bool has_arena(Kind kind) const;
  const std::vector<Arena>& arenas() const { return arenas_; }

  // The fp32 values that the optimizer updates on this rank: the whole unit at stage 0, else this rank's shard.
  at::Tensor master(int unit);
  at::Tensor state(Kind kind, int unit);
  // Where master(unit) starts in the unit's buffer.
  int64_t master_begin(int unit) const;

  // Sets all weights: fill(parameter, first element, count, out) gives fp32 values, called for whatever part this rank
  // needs. 16-bit work: masters start as the rounded values when `round_masters` (DeepSpeed's rule for fresh weights).
  using Fill = std::function<void(int parameter, int64_t offset, int64_t count, float* out)>;
  void set_weights(const Fill& fill, bool round_masters);

  // This rank's own part of the unit's work copy: what master(unit) covers, in the work dtype. The masters themselves
  // where there are no separate ones.
  at::Tensor own_work(int unit);

  // Work copies from masters, after masters were changed (update, checkpoint). own_is_current: an update has written the
  // own parts already. Collective at stages 1 and 2.
  void refresh_work(bool own_is_current = false);

  // Full fp32 values of one parameter in host memory on every rank (export, evaluation of masters). Collective.
  at::Tensor full_master(int parameter);

 private:
  void make_tensors(int unit, const at::Tensor& whole);

  std::vector<Parameter> parameters_;
  std::vector<UnitLayout> layouts_;
  StageOptions options_;
  Communicator& group_;
  c10::Device device_;
  std::shared_ptr<const DeviceKernels> kernels_;
  std::vector<int> unit_of_, slot_of_;
  std::vector<Arena> arenas_;
  std::vector<at::Tensor> tensors_;

  struct Gathered {
    at::Tensor whole;  // its storage's pointer moves between slots
    int slot = -1;
    int users = 0;
  };
  std::vector<Gathered> gathered_;
  std::unique_ptr<SlotPool> gathered_slots_;
  int64_t num_gathers_ = 0;
};

}  // namespace ds
