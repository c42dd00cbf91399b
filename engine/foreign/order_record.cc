#include "engine/foreign/order_record.h"

#include "topology/base/error.h"

namespace ds {
namespace {

std::string describe(int action, const std::vector<std::string>& names) {
  return (action >= 0 ? "gather of " : "reduction of ") + names.at(action >= 0 ? action : -action - 1);
}

}  // namespace

void OrderRecord::act(int action, const std::vector<std::string>& names) {
  if (recording_) {
    actions_.push_back(action);
    return;
  }
  const bool past_end = position_ >= actions_.size();
  if (past_end || actions_[position_] != action)
    throw Error(ErrorCode::kInternal,
                "engine: this rank departs from the order of the first step: action " + std::to_string(position_) +
                    " is " + describe(action, names) + ", recorded: " +
                    (past_end ? std::string("nothing more") : describe(actions_[position_], names)) +
                    "; every step must use the same modules in the same order on every rank");
  ++position_;
}

void OrderRecord::end_step(const std::vector<std::string>& names) {
  if (!recording_ && position_ != actions_.size())
    throw Error(ErrorCode::kInternal,
                "engine: this rank departs from the order of the first step: it ended before the " +
                    describe(actions_[position_], names) +
                    "; every step must use the same modules in the same order on every rank");
  recording_ = false;
  position_ = 0;
}

uint64_t OrderRecord::hash() const {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const int action : actions_) hash = (hash ^ static_cast<uint32_t>(action)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace ds
