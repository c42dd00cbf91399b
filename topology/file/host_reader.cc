#include "topology/file/host_reader.h"

#include <algorithm>

#include "topology/base/text.h"
#include "topology/file/core_reader.h"
#include "topology/file/device_reader.h"
#include "topology/numeric_address.h"

namespace ds {
namespace {

const std::vector<std::string> kMachineKeys{"slots",        "max_slots", "slot_ids", "port",        "user", "cores",
                                            "threads",      "numa",      "sockets",  "caches",      "gpus", "gpu_numa",
                                            "gpu_switches", "nvlinks",   "nics",     "memory_bytes"};

std::vector<std::string> host_keys() {
  std::vector<std::string> keys{"name", "machine", "addresses", "rack", "switch"};
  keys.insert(keys.end(), kMachineKeys.begin(), kMachineKeys.end());
  return keys;
}

void read_machine(ObjectReader& reader, Host& host) {
  host.slots = reader.number("slots", kMaxSlots);
  host.max_slots = reader.number("max_slots", kMaxSlots);
  if (host.slots && host.max_slots && *host.max_slots < *host.slots)
    reader.refuse("max_slots", "is less than slots, " + std::to_string(*host.slots));
  host.slot_ids = reader.numbers("slot_ids", 0, kMaxSlots);
  host.port = reader.number("port", 65535).value_or(0);
  host.user = reader.text("user");
  read_cores(reader, host);
  read_gpus(reader, host);
  host.nics = read_nics(reader);
  host.memory_bytes = reader.bytes("memory_bytes");
}

}  // namespace

Host read_described_host(const nlohmann::ordered_json& json, const std::string& path,
                         std::vector<std::string>& problems) {
  static const std::vector<std::string> kKeys = host_keys();
  Host host;
  ObjectReader reader(json, path, kKeys, problems);
  if (!json.is_object()) return host;
  host.name = reader.text("name");
  if (host.name.empty()) reader.refuse("name", "must be a name");
  host.addresses = reader.texts("addresses");
  for (const std::string& address : host.addresses)
    if (address_bytes(address).empty()) reader.refuse("addresses", "'" + address + "' is no numeric address");
  host.rack = reader.text("rack");
  host.leaf = reader.text("switch");
  read_machine(reader, host);
  return host;
}

void check_machine(const nlohmann::ordered_json& json, const std::string& path, std::vector<std::string>& problems) {
  ObjectReader reader(json, path, kMachineKeys, problems);
  Host ignored;
  if (json.is_object()) read_machine(reader, ignored);
}

std::vector<std::string> numbered_names(const std::string& name, size_t most) {
  const size_t open = name.rfind('['), dash = name.rfind('-');
  const bool range =
      open != std::string::npos && open > 0 && name.back() == ']' && dash != std::string::npos && dash > open;
  if (!range) return {name};
  const std::string low = name.substr(open + 1, dash - open - 1), high = name.substr(dash + 1, name.size() - dash - 2);
  const auto first = parse_int(low), last = parse_int(high);
  if (!first || !last || *first < 0 || *last < *first || static_cast<uint64_t>(*last - *first) >= most) return {};
  std::vector<std::string> names;
  for (int64_t number = *first; number <= *last; ++number) {
    std::string digits = std::to_string(number);
    if (digits.size() < low.size()) digits.insert(0, low.size() - digits.size(), '0');
    names.push_back(name.substr(0, open) + digits);
  }
  return names;
}

}  // namespace ds
