// An operation of the message library itself, under Reduction::kFastest: nothing is known of how far it is.
#include "collectives/exchange/algorithms.h"

namespace ds {
namespace {

class Native final : public Task {
 public:
  Native(GroupPointer group, const Call& call, Ticket ticket) : Task(std::move(group), call), ticket_(ticket) {}
  ~Native() override {
    if (!finished_) group_->transport->forget(ticket_);
  }
  bool advance() override {
    if (!finished_) finished_ = group_->transport->finished(ticket_);
    return finished_;
  }
  std::vector<int> missing() const override {
    std::vector<int> others;
    for (int member = 0; member < group_->size(); ++member)
      if (member != group_->rank()) others.push_back(member);
    return others;
  }

 private:
  const Ticket ticket_;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<Task> native_task(GroupPointer group, Call call, Ticket ticket) {
  return std::make_unique<Native>(std::move(group), call, ticket);
}

}  // namespace ds
