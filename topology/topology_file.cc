#include "topology/topology_file.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/file/fabric_reader.h"
#include "topology/file/host_reader.h"
#include "topology/file/object_reader.h"

namespace ds {
namespace {

using FileJson = nlohmann::ordered_json;

constexpr size_t kMaxCores = 1 << 21;   // of all hosts: a short text can ask for many
constexpr size_t kMaxDescribed = 65536;  // hosts
constexpr size_t kMaxPairs = 1 << 24;    // of GPUs and of NICs, of all hosts

FileJson parse_json(const std::string& text, const std::string& file) {
  if (json_depth(text) > kMaxJsonDepth)
    throw Error(ErrorCode::kUsage, "topology file " + file + ": nested deeper than " + std::to_string(kMaxJsonDepth));
  try {
    return FileJson::parse(text);
  } catch (const FileJson::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    throw Error(ErrorCode::kUsage,
                "topology file " + file + ":" + std::to_string(1 + std::count(text.begin(), end, '\n')) + ": not JSON");
  } catch (const FileJson::exception&) {
    throw Error(ErrorCode::kUsage, "topology file " + file + ": a number is too large");
  }
}

class FileReader {
 public:
  FileReader(const FileJson& json, std::string where) : where_(std::move(where)), json_(json) {}

  Cluster read() {
    read_machines();
    for (size_t i = 0; i < json_["hosts"].size() && !full_; ++i)
      add(json_["hosts"][i], where_ + "hosts[" + std::to_string(i) + "]");
    if (cluster_.hosts.empty() && problems_.empty()) problems_.push_back(where_ + "has no hosts");
    if (json_.contains("fabric")) read_fabric(json_["fabric"], where_ + "fabric", cluster_, problems_);
    throw_if_any("", problems_);
    return std::move(cluster_);
  }

 private:
  void read_machines() {
    if (!json_.contains("machines")) return;
    if (!json_["machines"].is_object()) return problems_.push_back(where_ + "machines: must be an object");
    for (const auto& [name, machine] : json_["machines"].items()) {
      const size_t before = problems_.size();
      check_machine(machine, where_ + "machines." + name, problems_);
      machines_[name] = problems_.size() == before ? &machine : nullptr;
    }
  }

  // The keys of the machine that the host is like, and its own, which win. A machine that is wrong has been told once.
  FileJson complete(const FileJson& host, const std::string& path) {
    if (!host.is_object() || !host.contains("machine")) return host;
    const FileJson& name = host["machine"];
    const auto machine = name.is_string() ? machines_.find(name.get<std::string>()) : machines_.end();
    if (machine == machines_.end()) {
      std::vector<std::string> known;
      for (const auto& [one, value] : machines_) known.push_back(one);
      problems_.push_back(path + ".machine: is " + name.dump(-1, ' ', false, FileJson::error_handler_t::replace) +
                          ", must be one of machines: " + (known.empty() ? "there are none" : join(known, ", ")));
    }
    if (machine == machines_.end() || !machine->second) return host;
    FileJson all = *machine->second;
    for (const auto& [key, value] : host.items()) all[key] = value;
    return all;
  }

  void add(const FileJson& json, const std::string& path) {
    const Host host = read_described_host(complete(json, path), path, problems_);
    const std::vector<std::string> names = numbered_names(host.name, kMaxDescribed);
    if (names.empty())
      problems_.push_back(path + ".name: '" + host.name + "': must be a range like n[1-8] of at most " +
                          std::to_string(kMaxDescribed) + " hosts");
    if (names.size() > 1 && !host.addresses.empty())
      problems_.push_back(path + ".addresses: a range of hosts has none");
    for (const std::string& name : names) {
      if (!host.name.empty() && !names_.insert(lower(name)).second)
        problems_.push_back(path + ": host '" + name + "' is described twice");
      num_cores_ += host.cores.size();
      if (num_cores_ > kMaxCores)
        problems_.push_back(path + ": more than " + std::to_string(kMaxCores) + " cores in all");
      num_pairs_ += host.gpus.size() * host.gpus.size() + host.nics.size() * host.nics.size();
      if (num_pairs_ > kMaxPairs)
        problems_.push_back(path + ": more than " + std::to_string(kMaxPairs) + " pairs of GPUs or NICs in all");
      if (cluster_.hosts.size() >= kMaxDescribed)
        problems_.push_back(path + ": more than " + std::to_string(kMaxDescribed) + " hosts in all");
      full_ = num_cores_ > kMaxCores || num_pairs_ > kMaxPairs || cluster_.hosts.size() >= kMaxDescribed;
      if (full_) return;
      cluster_.hosts.push_back(host);
      cluster_.hosts.back().name = name;
    }
  }

  std::string where_;
  const FileJson& json_;
  std::map<std::string, const FileJson*> machines_;  // nullptr = with problems
  std::vector<std::string> problems_;
  std::set<std::string> names_;
  Cluster cluster_;
  size_t num_cores_ = 0, num_pairs_ = 0;
  bool full_ = false;
};

bool has_file_form(const FileJson& json) {
  static const std::vector<std::string> kSections{"machines", "hosts", "fabric"};
  if (!json.is_object() || !json.contains("hosts") || !json["hosts"].is_array()) return false;
  const auto items = json.items();
  return std::all_of(items.begin(), items.end(), [](const auto& item) {
    return std::find(kSections.begin(), kSections.end(), item.key()) != kSections.end();
  });
}

}  // namespace

Cluster parse_topology(const std::string& text, const std::string& file) {
  const FileJson json = parse_json(text, file);
  const std::string where = "topology file " + file + ": ";
  if (!has_file_form(json))
    throw Error(ErrorCode::kUsage, where + "must be {\"hosts\": [...]}, perhaps with \"machines\" and \"fabric\"");
  return FileReader(json, where).read();
}

Cluster with_hardware(const Cluster& hosts, const Cluster& described) {
  Cluster result = hosts;
  result.fabric = described.fabric;
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
