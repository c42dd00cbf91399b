// Memory of the parameters' persistent representations: one contiguous arena each, with a printable layout; and slots
// for the transient ones. Nothing persistent is allocated elsewhere.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/sharding/representation.h"

namespace ds {

// One persistent representation on this rank; zeros at first.
class Arena {
 public:
  Arena(const Representation& representation, const std::vector<UnitLayout>& layouts, c10::Device device);

  const Representation& representation() const { return representation_; }
  int64_t bytes() const;
  // The unit's local part: padded elements when replicated, a shard when flat.
  at::Tensor unit(int unit) const;
  std::string describe() const;  // a line per unit: name, offset, elements, bytes

 private:
  Representation representation_;
  std::vector<std::string> names_;
  std::vector<int64_t> offsets_;  // elements; one more than units
  at::Tensor storage_;
};

// Equal-sized buffers lent to units while they need one; grows on demand and remembers the largest sum lent.
class SlotPool {
 public:
  SlotPool(int64_t slot_elements, DType dtype, c10::Device device);
  // A buffer of at least `elements` elements (at most slot_elements), contents undefined.
  int acquire(int64_t elements);
  void release(int slot);
  at::Tensor buffer(int slot, int64_t elements) const;
  int64_t peak_bytes() const { return peak_bytes_; }
  int64_t bytes() const;  // allocated

 private:
  int64_t slot_elements_;
  DType dtype_;
  c10::Device device_;
  std::vector<at::Tensor> buffers_;
  std::vector<int64_t> lent_;  // elements, 0 = free
  int64_t lent_bytes_ = 0, peak_bytes_ = 0;
};

}  // namespace ds
