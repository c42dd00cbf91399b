#include "launcher/collector.h"

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
  if (publish.remove()) published_.erase(publish.key());
  else published_[publish.key()] = {publish.value(), static_cast<int>(publish.rank())};
}

void Collector::take_lookup(const control::Lookup& lookup) {
  if (!known(lookup.node())) return;
  control::Envelope answer;
  control::LookupDone& done = *answer.mutable_lookup_done();
  done.set_generation(generation_);
  done.set_id(lookup.id());
  done.set_node(lookup.node());
  if (auto it = published_.find(lookup.key()); it != published_.end()) {
    done.set_found(true);
    done.set_value(it->second.first);
    done.set_rank(it->second.second);
  }
  send_(lookup.node(), answer);
}

std::vector<std::string> Collector::overdue(Clock::time_point now, std::chrono::seconds limit) const {
  std::vector<std::string> found;
  for (const auto& [key, fence] : fences_) {
    auto waited = std::chrono::duration_cast<std::chrono::seconds>(now - fence.since);
    if (waited < limit) continue;
    std::vector<std::string> missing;
    for (int node : fence.nodes)
      if (!fence.arrived.count(node)) missing.push_back(names_[node]);
    found.push_back("fence " + key + ": waiting " + std::to_string(waited.count()) + " s for " + join(missing, ", "));
  }
  return found;
}

}  // namespace ds
