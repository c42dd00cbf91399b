#include "topology/host.h"

#include <utility>

namespace ds {
namespace {

void keep_rails(const std::vector<Nic>& before, std::vector<Nic>& now) {
  for (const Nic& old : before)
    for (Nic& nic : now)
      if (nic.name == old.name && !nic.rail) nic.rail = old.rail;
}

}  // namespace

void take_hardware(Host& host, const Host& described) {
  Host old = std::exchange(host, described);
  keep_rails(old.nics, host.nics);
  if (host.rack.empty()) host.rack = std::move(old.rack);
  if (host.leaf.empty()) host.leaf = std::move(old.leaf);
  host.name = std::move(old.name);
  host.slots = old.slots;
  host.max_slots = old.max_slots;
  host.program_slots = std::move(old.program_slots);
  host.slot_ids = std::move(old.slot_ids);
  host.port = old.port;
  host.node = std::move(old.node);
  host.user = std::move(old.user);
}

}  // namespace ds
