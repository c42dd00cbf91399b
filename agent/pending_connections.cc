#include "agent/pending_connections.h"

namespace ds {

std::optional<uint64_t> PendingConnections::add(uint64_t id, const std::string& host) {
  host_of_[id] = host;
  ids_of_[host].insert(id);
  if (size() <= limit_) return std::nullopt;
  const uint64_t out = to_push_out();
  remove(out);
  return out;
}

void PendingConnections::remove(uint64_t id) {
  const auto found = host_of_.find(id);
  if (found == host_of_.end()) return;
  const auto ids = ids_of_.find(found->second);
  ids->second.erase(id);
  if (ids->second.empty()) ids_of_.erase(ids);
  host_of_.erase(found);
}

uint64_t PendingConnections::to_push_out() const {
  const std::set<uint64_t>* most = nullptr;
  for (const auto& [host, ids] : ids_of_) {
    const bool older = most && ids.size() == most->size() && *ids.begin() < *most->begin();
    if (!most || ids.size() > most->size() || older) most = &ids;
  }
  return *most->begin();
}

}  // namespace ds
