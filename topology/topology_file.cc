#include "topology/topology_file.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/cpu_list.h"

namespace ds {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxCores = 1 << 21;  // of all hosts: a short text can ask for many

const std::vector<std::string> kHostKeys{"name", "slots", "max_slots", "slot_ids", "port", "user", "addresses", "cores", "threads", "numa", "sockets", "gpus", "memory_bytes"};

// Reads one host; every problem is noted with the path of the value.
class HostReader {
 public:
  HostReader(const Json& json, std::string path, std::vector<std::string>& problems) : json_(json), path_(std::move(path)), problems_(problems) {}

  Host read() {
    Host host;
    if (!json_.is_object()) return refuse("", "must be an object"), host;
    for (const auto& [key, value] : json_.items()) check_key(key);
    host.name = text("name");
    if (host.name.empty()) refuse("name", "must be a name");
    host.slots = optional_number("slots", kMaxSlots);
    host.max_slots = optional_number("max_slots", kMaxSlots);
    host.slot_ids = numbers("slot_ids", kMaxSlots);
    host.port = optional_number("port", 65535).value_or(0);
    host.user = text("user");
    host.addresses = texts("addresses");
    host.gpus = texts("gpus");
    host.cores = cores();
    host.threads_of_core = threads(host.cores);
    host.numa_of_core = places("numa", host.cores.size());
    host.socket_of_core = places("sockets", host.cores.size());
    host.memory_bytes = memory();
    return host;
  }

 private:
  void refuse(const std::string& key, const std::string& cause) { problems_.push_back(path_ + (key.empty() ? "" : "." + key) + ": " + cause); }

  void check_key(const std::string& key) {
    if (std::find(kHostKeys.begin(), kHostKeys.end(), key) != kHostKeys.end()) return;
    const std::string near = nearest(key, kHostKeys);
    refuse("", "unknown key '" + key + "'" + (near.empty() ? "" : ", did you mean '" + near + "'?") + " (known: " + join(kHostKeys, ", ") + ")");
  }

  const Json* find(const std::string& key) const {
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
  }

  std::string text(const std::string& key) {
    const Json* value = find(key);
    if (!value) return "";
    if (value->is_string()) return value->get<std::string>();
    refuse(key, "must be a text");
    return "";
  }

  std::vector<std::string> texts(const std::string& key) {
    const Json* value = find(key);
    std::vector<std::string> result;
    if (!value) return result;
    const bool ok = value->is_array() && std::all_of(value->begin(), value->end(), [](const Json& item) { return item.is_string(); });
    if (!ok) return refuse(key, "must be a list of texts"), result;
    for (const Json& item : *value) result.push_back(item.get<std::string>());
    return result;
  }

  static bool is_number(const Json& value, int64_t most) {
    return value.is_number_integer() && value >= 0 && value <= most;
  }

  std::optional<int> optional_number(const std::string& key, int most) {
    const Json* value = find(key);
    if (!value || value->is_null()) return std::nullopt;
    if (is_number(*value, most)) return value->get<int>();
    refuse(key, "must be a whole number from 0 to " + std::to_string(most) + ", is " + value->dump());
    return std::nullopt;
  }

  std::vector<int> numbers(const std::string& key, int most) {
    const Json* value = find(key);
    std::vector<int> result;
    if (!value) return result;
    const bool ok = value->is_array() && std::all_of(value->begin(), value->end(), [&](const Json& item) { return is_number(item, most); });
    if (!ok) return refuse(key, "must be a list of whole numbers from 0 to " + std::to_string(most)), result;
    for (const Json& item : *value) result.push_back(item.get<int>());
    return result;
  }

  // A number of cores, a list of CPUs, or the list as text, "0-3,8".
  std::vector<int> cores() {
    const Json* value = find("cores");
    if (value && value->is_array()) return numbers("cores", kMaxCpu);
    std::vector<int> result;
    if (value && is_number(*value, kMaxCpu)) {
      for (int cpu = 0; cpu < value->get<int>(); ++cpu) result.push_back(cpu);
    } else if (value && value->is_string()) {
      try {
        result = parse_cpu_list(value->get<std::string>());
      } catch (const Error& error) {
        refuse("cores", error.what());
      }
    } else if (value) {
      refuse("cores", "must be a number of cores, a list of CPUs or a text like \"0-3,8\"");
    }
    return result;
  }

  // CPUs of each core, or how many each has: core i of n then has the CPUs i, i + n, ..., as Linux numbers them.
  std::vector<std::vector<int>> threads(const std::vector<int>& cores) {
    const Json* value = find("threads");
    std::vector<std::vector<int>> result;
    if (!value) return result;
    if (is_number(*value, kMaxCpu) && *value > 0) {
      const int64_t highest = cores.empty() ? 0 : *std::max_element(cores.begin(), cores.end());
      if (highest + (value->get<int64_t>() - 1) * static_cast<int64_t>(cores.size()) > kMaxCpu)
        return refuse("threads", "gives CPUs above " + std::to_string(kMaxCpu)), result;
      for (int core : cores)
        for (int thread = 0; thread < value->get<int>(); ++thread) {
          if (thread == 0) result.emplace_back();
          result.back().push_back(core + thread * static_cast<int>(cores.size()));
        }
      return result;
    }
    bool ok = value->is_array() && value->size() == cores.size();
    for (size_t i = 0; ok && i < cores.size(); ++i) {
      const Json& cpus = (*value)[i];
      ok = cpus.is_array() && std::all_of(cpus.begin(), cpus.end(), [](const Json& item) { return is_number(item, kMaxCpu); });
      if (ok) result.push_back(cpus.get<std::vector<int>>());
      ok = ok && !result[i].empty() && result[i][0] == cores[i];
    }
    if (!ok) refuse("threads", "must be a number, or for each core the list of its CPUs, the one in cores first");
    return ok ? result : std::vector<std::vector<int>>{};
  }

  // Place of each core, or a number of places that share the cores evenly.
  std::vector<int> places(const std::string& key, size_t num_cores) {
    const Json* value = find(key);
    if (!value || value->is_array()) {
      std::vector<int> result = numbers(key, kMaxCpu);
      if (!result.empty() && result.size() != num_cores) refuse(key, "must have one number for each of the " + std::to_string(num_cores) + " cores");
      return result;
    }
    std::vector<int> result(num_cores);
    const bool fits = is_number(*value, kMaxCpu) && *value > 0 && num_cores % value->get<size_t>() == 0;
    if (!fits) return refuse(key, "must be a list, or a number that divides the " + std::to_string(num_cores) + " cores"), result;
    for (size_t i = 0; i < num_cores; ++i) result[i] = static_cast<int>(i / (num_cores / value->get<size_t>()));
    return result;
  }

  uint64_t memory() {
    const Json* value = find("memory_bytes");
    if (!value) return 0;
    if (is_number(*value, std::numeric_limits<int64_t>::max())) return value->get<uint64_t>();
    refuse("memory_bytes", "must be a whole number, is " + value->dump());
    return 0;
  }

  const Json& json_;
  std::string path_;
  std::vector<std::string>& problems_;
};

Json parse_json(const std::string& text, const std::string& file) {
  if (json_depth(text) > kMaxJsonDepth)
    throw Error(ErrorCode::kUsage, "topology file " + file + ": nested deeper than " + std::to_string(kMaxJsonDepth));
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    throw Error(ErrorCode::kUsage, "topology file " + file + ":" + std::to_string(1 + std::count(text.begin(), end, '\n')) + ": not JSON");
  } catch (const Json::exception&) {
    throw Error(ErrorCode::kUsage, "topology file " + file + ": a number is too large");
  }
}

Json host_json(const Host& host) {
  Json json{{"name", host.name}};
  if (host.slots) json["slots"] = *host.slots;
  if (host.max_slots) json["max_slots"] = *host.max_slots;
  if (!host.slot_ids.empty()) json["slot_ids"] = host.slot_ids;
  if (host.port) json["port"] = host.port;
  if (!host.user.empty()) json["user"] = host.user;
  if (!host.addresses.empty()) json["addresses"] = host.addresses;
  if (!host.cores.empty()) json["cores"] = host.cores;
  if (!host.threads_of_core.empty()) json["threads"] = host.threads_of_core;
  if (!host.numa_of_core.empty()) json["numa"] = host.numa_of_core;
  if (!host.socket_of_core.empty()) json["sockets"] = host.socket_of_core;
  if (!host.gpus.empty()) json["gpus"] = host.gpus;
  if (host.memory_bytes) json["memory_bytes"] = host.memory_bytes;
  return json;
}

}  // namespace

Cluster parse_topology(const std::string& text, const std::string& file) {
  const Json json = parse_json(text, file);
  const std::string where = "topology file " + file + ": ";
  if (!json.is_object() || !json.contains("hosts") || !json["hosts"].is_array() || json.size() != 1)
    throw Error(ErrorCode::kUsage, where + "must be {\"hosts\": [...]}");
  Cluster cluster;
  std::vector<std::string> problems;
  std::set<std::string> names;
  size_t num_cores = 0;
  for (const Json& item : json["hosts"]) {
    const std::string path = where + "hosts[" + std::to_string(cluster.hosts.size()) + "]";
    Host host = HostReader(item, path, problems).read();
    if (!host.name.empty() && !names.insert(lower(host.name)).second) problems.push_back(path + ": host '" + host.name + "' is described twice");
    num_cores += host.cores.size();
    cluster.hosts.push_back(std::move(host));
    if (num_cores <= kMaxCores) continue;
    problems.push_back(path + ": more than " + std::to_string(kMaxCores) + " cores in all");
    break;
  }
  if (cluster.hosts.empty()) problems.push_back(where + "has no hosts");
  throw_if_any("", problems);
  return cluster;
}

std::string topology_text(const Cluster& cluster) {
  Json json{{"hosts", Json::array()}};
  for (const Host& host : cluster.hosts) json["hosts"].push_back(host_json(host));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Cluster with_hardware(const Cluster& hosts, const Cluster& described) {
  Cluster result = hosts;
  std::vector<std::string> problems;
  std::map<std::string, const Host*> by_name;
  for (const Host& host : described.hosts) by_name.emplace(lower(host.name), &host);
  for (Host& host : result.hosts) {
    const auto known = by_name.find(lower(host.name));
    if (known == by_name.end()) {
      problems.push_back("topology file: host " + host.name + " is not described");
      continue;
    }
    take_hardware(host, *known->second);
    if (!host.slots) host.slots = known->second->slots;
  }
  throw_if_any("", problems);
  return result;
}

}  // namespace ds
