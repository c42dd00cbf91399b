#include "launcher/control/collector.h"

#include "agent/proto/control.pb.h"
#include "topology/base/text.h"

namespace ds {

Collector::Collector(int generation, std::vector<std::string> node_names, Send send)
    : generation_(generation), names_(std::move(node_names)), send_(std::move(send)) {}

bool Collector::take(const control::Envelope& message, Clock::time_point now) {
  auto ours = [this](const auto& body) { return static_cast<int>(body.generation()) == generation_; };
  switch (message.body_case()) {
    case control::Envelope::kFence:
      if (ours(message.fence())) take_fence(message.fence(), now);
      return true;
    case control::Envelope::kModex:
      if (ours(message.modex()) && known(message.modex().owner_node())) send_(message.modex().owner_node(), message);
      return true;
    case control::Envelope::kModexDone:
      if (ours(message.modex_done()) && known(message.modex_done().asking_node()))
        send_(message.modex_done().asking_node(), message);
      return true;
    case control::Envelope::kRunDaemon:
      if (ours(message.run_daemon()) && known(message.run_daemon().node())) send_(message.run_daemon().node(), message);
      return true;
    case control::Envelope::kPublish:
      if (ours(message.publish())) take_publish(message.publish());
      return true;
    case control::Envelope::kLookup:
      if (ours(message.lookup())) take_lookup(message.lookup());
      return true;
    default:
      return false;
  }
}

void Collector::take_fence(const control::Fence& fence, Clock::time_point now) {
  auto [it, fresh] = fences_.try_emplace(fence.key());
  OpenFence& open = it->second;
  if (fresh) {
    open.since = now;
    for (uint32_t node : fence.nodes())
      if (known(node)) open.nodes.insert(node);
    if (fence.nodes().empty())
      for (size_t node = 0; node < names_.size(); ++node) open.nodes.insert(node);
  }
  if (!open.nodes.count(fence.node()) || !open.arrived.insert(fence.node()).second) return;
  open.waited_for |= !fence.over();
  open.data += fence.data();
  if (open.status == 0) open.status = fence.status();
  if (open.arrived != open.nodes) return;
  finish_fence(fence.key(), open);
  fences_.erase(it);
}

void Collector::finish_fence(const std::string& key, const OpenFence& fence) {
  control::Envelope answer;
  control::FenceDone& done = *answer.mutable_fence_done();
  done.set_generation(generation_);
  done.set_key(key);
  done.set_status(fence.status);
  done.set_data(fence.data);
  for (int node : fence.nodes) send_(node, answer);
}

void Collector::take_publish(const control::Publish& publish) {
  const auto& key = publish.key();
  if (auto it = published_.find(key); it != published_.end()) {
    // A rank takes back only its own, and has one lasting value of a name.
    std::erase_if(it->second, [&](const Value& value) { return value.rank == publish.rank() && !value.once; });
    if (it->second.empty()) published_.erase(it);
  }
  if (!publish.remove()) add_value(publish);
  if (!known(publish.node())) return;
  control::Envelope answer;
  answer.mutable_publish_done()->set_generation(generation_);
  answer.mutable_publish_done()->set_id(publish.id());
  answer.mutable_publish_done()->set_node(publish.node());
  send_(publish.node(), answer);
}

// Of lasting values the newest is found, those for one reader go to readers in the order in which they came.
void Collector::add_value(const control::Publish& publish) {
  auto& values = published_[publish.key()];
  values.insert(publish.once() ? values.end() : values.begin(), {publish.value(), publish.rank(), publish.once()});
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const bool answered = it->key == publish.key() && answer_lookup(*it, false);
    it = answered ? waiting_.erase(it) : std::next(it);
  }
}

void Collector::take_lookup(const control::Lookup& lookup) {
  if (!known(lookup.node())) return;
  const WaitingLookup asked{lookup.id(), static_cast<int>(lookup.node()), lookup.key()};
  waiting_.remove_if([&](const WaitingLookup& old) { return old.node == asked.node && old.id == asked.id; });
  if (!answer_lookup(asked, !lookup.wait())) waiting_.push_back(asked);
}

bool Collector::answer_lookup(const WaitingLookup& lookup, bool even_without_value) {
  const auto it = published_.find(lookup.key);
  if (it == published_.end() && !even_without_value) return false;
  control::Envelope answer;
  control::LookupDone& done = *answer.mutable_lookup_done();
  done.set_generation(generation_);
  done.set_id(lookup.id);
  done.set_node(lookup.node);
  if (it != published_.end()) {
    const Value& value = it->second.front();
    done.set_found(true);
    done.set_value(value.value);
    done.set_rank(value.rank);
    if (value.once) it->second.pop_front();
    if (it->second.empty()) published_.erase(it);
  }
  send_(lookup.node, answer);
  return true;
}

std::vector<std::string> Collector::overdue(Clock::time_point now, std::chrono::seconds limit) const {
  std::vector<std::string> found;
  for (const auto& [key, fence] : fences_) {
    auto waited = std::chrono::duration_cast<std::chrono::seconds>(now - fence.since);
    if (waited < limit || !fence.waited_for) continue;
    std::vector<std::string> missing;
    for (int node : fence.nodes)
      if (!fence.arrived.count(node)) missing.push_back(names_[node]);
    found.push_back("fence " + key + ": waiting " + std::to_string(waited.count()) + " s for " + join(missing, ", "));
  }
  return found;
}

}  // namespace ds
