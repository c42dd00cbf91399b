#include "agent/rank_server/pmix_names.h"

#include <utility>

#include "agent/proto/control.pb.h"

namespace ds {

PmixNames::PmixNames(boost::asio::io_context& io, std::function<void(const control::Envelope&)> send)
    : io_(io), send_(std::move(send)) {}

void PmixNames::begin(const control::StartGeneration& start) {
  generation_ = start.generation();
  node_ = start.node();
  name_space_ = start.name_space();
}

void PmixNames::publish(PmixPublish publish) {
  if (publish.values.empty()) return publish.done(PMIX_SUCCESS, publish.token);
  const uint32_t id = next_id_++;
  for (const auto& value : publish.values) {
    control::Envelope message;
    auto& body = *message.mutable_publish();
    body.set_generation(generation_);
    body.set_remove(publish.remove);
    body.set_key(value.key);
    body.set_value(value.value);
    body.set_rank(value.rank);
    body.set_once(value.once);
    body.set_id(id);
    body.set_node(node_);
    send_(message);
  }
  const size_t count = publish.values.size();
  publishes_[id] = {count, std::move(publish)};
}

void PmixNames::take(const control::PublishDone& answer) {
  const auto found = publishes_.find(answer.id());
  if (found == publishes_.end() || --found->second.left > 0) return;
  const auto publish = publishes_.extract(found);
  publish.mapped().call.done(PMIX_SUCCESS, publish.mapped().call.token);
}

void PmixNames::lookup(PmixLookup lookup) {
  const uint32_t id = next_id_++;
  auto& open = lookups_[id];
  open.call = std::move(lookup);
  if (open.call.wait && open.call.limit.count() > 0) {
    open.limit = std::make_unique<Timer>(io_);
    open.limit->after(open.call.limit, [this, id] { stop_waiting(id); });
  }
  ask_next(id);
}

// Asked again without waiting, the launcher answers at once.
void PmixNames::stop_waiting(uint32_t id) {
  lookups_.at(id).call.wait = false;
  ask_next(id);
}

void PmixNames::ask_next(uint32_t id) {
  const auto found = lookups_.find(id);
  const PmixLookup& lookup = found->second.call;
  if (lookup.keys.empty()) {
    lookup.answer(name_space_);
    lookups_.erase(found);
    return;
  }
  control::Envelope message;
  auto& body = *message.mutable_lookup();
  body.set_generation(generation_);
  body.set_id(id);
  body.set_node(node_);
  body.set_key(lookup.keys.back());
  body.set_wait(lookup.wait);
  send_(message);
}

void PmixNames::take(const control::LookupDone& answer) {
  const auto found = lookups_.find(answer.id());
  if (found == lookups_.end()) return;
  auto& lookup = found->second.call;
  if (answer.found()) lookup.found.push_back({lookup.keys.back(), answer.value(), answer.rank(), false});
  lookup.keys.pop_back();
  ask_next(answer.id());
}

}  // namespace ds
