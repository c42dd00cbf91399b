#include "engine/foreign/gather_on_use.h"

#include <algorithm>
#include <set>
#include <utility>

#include <ATen/record_function.h>

namespace ds {
namespace {

// The object whose callback runs in this thread (the dispatcher takes plain functions only), and whether it is at work:
// a gather uses operators too and must not re-enter.
thread_local GatherOnUse* active = nullptr;
thread_local bool inside = false;

}  // namespace

struct GatherOnUse::Callback {
  struct Pinned : at::ObserverContext {
    std::vector<int> units;
  };

  static void note(GatherOnUse& self, const at::Tensor& tensor, std::set<int>& units) {
    if (!tensor.defined() || !tensor.has_storage()) return;
    const auto found = self.unit_of_storage_.find(tensor.storage().unsafeGetStorageImpl());
    if (found != self.unit_of_storage_.end()) units.insert(found->second);
  }

  static std::unique_ptr<at::ObserverContext> start(const at::RecordFunction& function) {
    if (!active || inside) return nullptr;
    GatherOnUse& self = *active;
    std::set<int> units;
    for (const c10::IValue& value : function.inputs()) {
      if (value.isTensor()) note(self, value.toTensor(), units);
      if (value.isTensorList())
        for (const at::Tensor& tensor : value.toTensorVector()) note(self, tensor, units);
    }
    if (units.empty()) return nullptr;
    inside = true;
    auto pinned = std::make_unique<Pinned>();
    pinned->units.assign(units.begin(), units.end());
    for (const int unit : units) ++self.pins_[unit];
    try {
      for (const int unit : units) self.use(unit);
    } catch (...) {
      if (!self.failure_) self.failure_ = std::current_exception();
    }
    inside = false;
    return pinned;
  }

  static void end(const at::RecordFunction&, at::ObserverContext* context) {
    if (!context || !active) return;
    for (const int unit : static_cast<Pinned*>(context)->units) --active->pins_[unit];
  }
};

GatherOnUse::GatherOnUse(ParameterStore& store, int capacity, std::function<void(int)> on_gather)
    : store_(store), capacity_(capacity), on_gather_(std::move(on_gather)), pins_(store.num_units(), 0) {
  for (size_t p = 0; p < store.parameters().size(); ++p)
    unit_of_storage_[store.tensor(static_cast<int>(p)).storage().unsafeGetStorageImpl()] =
        store.unit_of(static_cast<int>(p));
  active = this;
  handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(&Callback::start, &Callback::end)
                                           .needsInputs(true)
                                           .scopes({at::RecordScope::FUNCTION}));
}

GatherOnUse::~GatherOnUse() {
  at::removeCallback(handle_);
  if (active == this) active = nullptr;
}

void GatherOnUse::rethrow_failure() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void GatherOnUse::use(int unit) {
  const auto found = std::find(recent_.begin(), recent_.end(), unit);
  if (found != recent_.end()) {
    recent_.splice(recent_.begin(), recent_, found);
    return;
  }
  shrink_to(capacity_ - 1);
  on_gather_(unit);
  store_.gather(unit);
  recent_.push_front(unit);
}

void GatherOnUse::shrink_to(size_t count) {
  for (auto it = recent_.end(); recent_.size() > count && it != recent_.begin();) {
    --it;
    if (pins_[*it] > 0) continue;
    store_.release(*it);
    it = recent_.erase(it);
  }
}

void GatherOnUse::release_all() {
  std::fill(pins_.begin(), pins_.end(), 0);
  shrink_to(0);
}

}  // namespace ds
