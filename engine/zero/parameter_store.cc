#include "engine/zero/parameter_store.h"

#include <algorithm>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>

#include "engine/zero/torch_dtype.h"
#include "topology/base/error.h"

namespace ds {
namespace {

int64_t largest(const std::vector<UnitLayout>& layouts) {
  int64_t elements = kBlockElements;
  for (const UnitLayout& layout : layouts) elements = std::max(elements, layout.padded);
  return elements;
}

// Lets every tensor on this storage read other memory; nullptr: reading is an error that names the unit.
void point_storage(const at::Tensor& whole, void* memory, const std::string& unit) {
  const c10::Device device = whole.device();
  c10::StorageImpl* storage = whole.storage().unsafeGetStorageImpl();
  if (memory) {
    storage->clear_data_ptr_access_error_msg_();
    storage->set_data_ptr_noswap(at::DataPtr(memory, device));
  } else {
    storage->set_data_ptr_noswap(at::DataPtr(nullptr, device));
    storage->release_data_and_set_meta_custom_data_ptr_error_msg_("engine: unit " + unit + " was read while released");
  }
}

}  // namespace

ParameterStore::ParameterStore(std::vector<Parameter> parameters, std::vector<UnitDefinition> units,
                               const StageOptions& options, Communicator& group,
                               std::shared_ptr<const DeviceKernels> kernels)
    : parameters_(std::move(parameters)),
      layouts_(layout_units(units, parameters_, group.size())),
      options_(options),
      group_(group),
      device_(torch_device(options.cuda_device)),
      kernels_(std::move(kernels)),
      unit_of_(parameters_.size(), -1),
      slot_of_(parameters_.size(), -1),
      tensors_(parameters_.size()),
      gathered_(layouts_.size()) {
  for (int u = 0; u < num_units(); ++u)
    for (size_t s = 0; s < layouts_[u].slots.size(); ++s) {
      unit_of_[layouts_[u].slots[s].parameter] = u;
      slot_of_[layouts_[u].slots[s].parameter] = static_cast<int>(s);
    }
  for (size_t p = 0; p < parameters_.size(); ++p)
    if (unit_of_[p] < 0) throw Error(ErrorCode::kInternal, "engine: parameter in no unit: " + parameters_[p].name);
  for (const Representation& r : representations(options_))
    if (r.lifetime == Lifetime::kPersistent) arenas_.emplace_back(r, layouts_, device_);
  if (options_.stage >= 3) gathered_slots_ = std::make_unique<SlotPool>(largest(layouts_), options_.work, device_);
  for (int u = 0; u < num_units(); ++u) {
    if (options_.stage < 3) {
      make_tensors(u, arena(Kind::kWork).unit(u));
      continue;
    }
    at::Tensor& whole = gathered_[u].whole;
    // A storage of the unit's true size that never owns memory.
    static char nowhere = 0;
    whole = at::for_blob(&nowhere, {layouts_[u].padded})
                .options(at::TensorOptions(torch_type(options_.work)).device(device_))
                .target_device(device_)
                .make_tensor();
    make_tensors(u, whole);
    point_storage(whole, nullptr, layouts_[u].name);
  }
}

void ParameterStore::make_tensors(int unit, const at::Tensor& whole) {
  for (const Slot& slot : layouts_[unit].slots) {
    const Parameter& parameter = parameters_[slot.parameter];
    tensors_[slot.parameter] = whole.narrow(0, slot.offset, slot.count).view(parameter.shape).variable_data();
    tensors_[slot.parameter].set_requires_grad(parameter.trainable);
  }
}

void ParameterStore::adopt(int parameter, const at::Tensor& tensor) {
  at::Tensor leaf = tensor;
  leaf.set_data(tensors_[parameter]);
  tensors_[parameter] = leaf;
}

Arena& ParameterStore::arena(Kind kind) {
  for (Arena& a : arenas_)
    if (a.representation().kind == kind) return a;
  throw Error(ErrorCode::kInternal, "engine: no arena of kind " + std::string(name_of(kind)));
}

bool ParameterStore::has_arena(Kind kind) const {
  return std::any_of(arenas_.begin(), arenas_.end(), [&](const Arena& a) { return a.representation().kind == kind; });
}

bool ParameterStore::gathered(int unit) const { return options_.stage < 3 || gathered_[unit].users > 0; }

void ParameterStore::gather(int unit) {
  if (options_.stage < 3) return;
  Gathered& g = gathered_[unit];
  if (g.users++ > 0) return;
  const UnitLayout& layout = layouts_[unit];
  const at::Tensor shard = arena(Kind::kWork).unit(unit);
  g.slot = gathered_slots_->acquire(layout.padded);
  ++num_gathers_;
  if (group_.size() == 1) return point_storage(g.whole, shard.data_ptr(), layout.name);  // already whole
  at::Tensor buffer = gathered_slots_->buffer(g.slot, layout.padded);
  group_.all_gather(view_of(shard), view_of(buffer)).wait();
  point_storage(g.whole, buffer.data_ptr(), layout.name);
}

void ParameterStore::release(int unit) {
  if (options_.stage < 3) return;
  Gathered& g = gathered_[unit];
  if (--g.users > 0) return;
  point_storage(g.whole, nullptr, layouts_[unit].name);
  gathered_slots_->release(g.slot);
  g.slot = -1;
}

at::Tensor ParameterStore::master(int unit) {
  return has_arena(Kind::kMaster) ? arena(Kind::kMaster).unit(unit) : own_work(unit);
}

at::Tensor ParameterStore::state(Kind kind, int unit) { return arena(kind).unit(unit); }

int64_t ParameterStore::master_begin(int unit) const {
  return options_.stage == 0 ? 0 : group_.rank() * layouts_[unit].shard();
}

void ParameterStore::set_weights(const Fill& fill, bool round_masters) {
  at::NoGradGuard no_grad;
  for (int u = 0; u < num_units(); ++u) {
    at::Tensor target = master(u);
    // Filled in host memory, padding included.
    at::Tensor values = target.is_cpu() ? target : at::zeros(target.sizes(), at::kFloat);
    const int64_t begin = master_begin(u);
    float* out = values.data_ptr<float>();
    for (const TensorRange& run : runs_in(layouts_[u], begin, begin + values.numel()))
      fill(run.parameter, run.global_offset, run.count, out + run.local_offset);
    if (round_masters && options_.work != DType::kFloat32) values.copy_(values.to(torch_type(options_.work)));
    if (!target.is_cpu()) target.copy_(values);
  }
  refresh_work();
}

at::Tensor ParameterStore::own_work(int unit) {
  const at::Tensor work = arena(Kind::kWork).unit(unit);
  if (options_.stage == 0 || options_.stage >= 3) return work;
  return work.narrow(0, master_begin(unit), layouts_[unit].shard());
}

void ParameterStore::refresh_work(bool own_is_current) {
  at::NoGradGuard no_grad;
  const bool separate = has_arena(Kind::kMaster);
  for (int u = 0; u < num_units(); ++u) {
    at::Tensor work = arena(Kind::kWork).unit(u);
    at::Tensor own = own_work(u);
    if (separate && !own_is_current) own.copy_(master(u));
    if (own.numel() != work.numel()) group_.all_gather(view_of(own), view_of(work)).wait();
  }
}

at::Tensor ParameterStore::full_master(int parameter) {
  at::NoGradGuard no_grad;
  const int unit = unit_of_[parameter];
  const Slot& slot = layouts_[unit].slots[slot_of_[parameter]];
  at::Tensor whole = master(unit);
  if (options_.stage > 0 && group_.size() > 1) {
    at::Tensor gathered = at::empty({layouts_[unit].padded}, whole.options());
    group_.all_gather(view_of(whole.contiguous()), view_of(gathered)).wait();
    whole = gathered;
  }
  return whole.narrow(0, slot.offset, slot.count).clone().view(parameters_[parameter].shape).to(at::kCPU);
}

}  // namespace ds
