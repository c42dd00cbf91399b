#include "engine/zero/arena.h"

#include <algorithm>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "engine/zero/torch_dtype.h"
#include "topology/base/error.h"

namespace ds {

Arena::Arena(const Representation& representation, const std::vector<UnitLayout>& layouts, c10::Device device)
    : representation_(representation), offsets_{0} {
  for (const UnitLayout& layout : layouts) {
    names_.push_back(layout.name);
    offsets_.push_back(offsets_.back() + (representation.spread == Spread::kFlat ? layout.shard() : layout.padded));
  }
  storage_ = at::zeros({offsets_.back()}, at::TensorOptions(torch_type(representation.dtype)).device(device));
}

int64_t Arena::bytes() const { return storage_.numel() * static_cast<int64_t>(size_of(representation_.dtype)); }

at::Tensor Arena::unit(int unit) const {
  return storage_.narrow(0, offsets_[unit], offsets_[unit + 1] - offsets_[unit]);
}

std::string Arena::describe() const {
  std::string text;
  for (size_t u = 0; u < names_.size(); ++u) {
    const int64_t elements = offsets_[u + 1] - offsets_[u];
    text += std::string(name_of(representation_.kind)) + " " + names_[u] + " offset=" + std::to_string(offsets_[u]) +
            " elements=" + std::to_string(elements) + " dtype=" + std::string(name_of(representation_.dtype)) +
            " bytes=" + std::to_string(elements * static_cast<int64_t>(size_of(representation_.dtype))) + "\n";
  }
  return text;
}

SlotPool::SlotPool(int64_t slot_elements, DType dtype, c10::Device device)
    : slot_elements_(slot_elements), dtype_(dtype), device_(device) {}

int SlotPool::acquire(int64_t elements) {
  if (elements > slot_elements_) throw Error(ErrorCode::kInternal, "engine: a unit is larger than a slot");
  auto free = std::find(lent_.begin(), lent_.end(), 0);
  if (free == lent_.end()) {
    buffers_.push_back(at::empty({slot_elements_}, at::TensorOptions(torch_type(dtype_)).device(device_)));
    free = lent_.insert(lent_.end(), 0);
  }
  *free = elements;
  lent_bytes_ += elements * static_cast<int64_t>(size_of(dtype_));
  peak_bytes_ = std::max(peak_bytes_, lent_bytes_);
  return static_cast<int>(free - lent_.begin());
}

void SlotPool::release(int slot) {
  lent_bytes_ -= lent_[slot] * static_cast<int64_t>(size_of(dtype_));
  lent_[slot] = 0;
}

at::Tensor SlotPool::buffer(int slot, int64_t elements) const { return buffers_[slot].narrow(0, 0, elements); }

int64_t SlotPool::bytes() const {
  return static_cast<int64_t>(buffers_.size()) * slot_elements_ * static_cast<int64_t>(size_of(dtype_));
}

}  // namespace ds
