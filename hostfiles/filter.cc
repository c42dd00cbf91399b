#include "hostfiles/filter.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "hostfiles/host_name.h"
#include "hostfiles/host_range.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr size_t kMaxProblems = 30;  // a text of another kind would have one a node

// What a filter says about one host of the cluster.
struct Choice {
  bool mentioned = false;
  bool whole = false;    // named without slots
  std::set<int> slots;
};

std::vector<int> slots_of(const Host& host) {
  if (!host.slot_ids.empty()) return host.slot_ids;
  std::vector<int> slots(static_cast<size_t>(host.slots.value_or(0)));
  std::iota(slots.begin(), slots.end(), 0);
  return slots;
}

std::string slot_text(const std::vector<int>& slots) {
  if (slots.empty()) return "none";
  std::vector<std::string> parts;
  for (int slot : slots) parts.push_back(std::to_string(slot));
  const bool run = slots.back() - slots.front() + 1 == static_cast<int>(slots.size()) && slots.size() > 2;
  return run ? parts.front() + "-" + parts.back() : join(parts, ",");
}

class FilterReader {
 public:
  FilterReader(const Cluster& cluster, std::string option, std::string_view text, const OtherName& other_name)
      : cluster_(cluster), option_(std::move(option)), other_name_(other_name), choices_(cluster.hosts.size()) {
    for (size_t i = 0; i < cluster.hosts.size(); ++i) index_.emplace(host_identity(cluster.hosts[i].name), i);
    for (const std::string& node : split(text, '@'))
      if (num_names_ <= kMaxRangeHosts && problems_.size() < kMaxProblems) read_node(trim(node));
    throw_if_any("", problems_);
  }
  const std::vector<Choice>& choices() const { return choices_; }

 private:
  void refuse(std::string_view node, const std::string& cause) {
    problems_.push_back(option_ + ": " + quote(node) + ": " + cause);
  }

  void read_node(std::string_view node) {
    const WrittenHost written = split_written_host(node);
    if (written.name.empty()) return refuse(node, "no host name");
    std::vector<std::string> names{written.name};
    try {
      if (!written.bracketed) names = expand_host_range(written.name);
    } catch (const Error& error) {
      return refuse(node, error.what());
    }
    num_names_ += names.size();
    if (num_names_ > kMaxRangeHosts)
      return refuse(node, "more than " + std::to_string(kMaxRangeHosts) + " hosts in all");
    for (const std::string& name : names)
      if (problems_.size() < kMaxProblems) choose(node, name, written.tail);
  }

  void choose(std::string_view node, const std::string& name, const std::optional<std::string>& slots) {
    const std::optional<size_t> host = index_of(name);
    if (!host) return refuse(node, "host " + quote(name) + " is not in the list of hosts: " + host_names());
    Choice& choice = choices_[*host];
    choice.mentioned = true;
    if (!slots) choice.whole = true;
    else choose_slots(node, cluster_.hosts[*host], *slots, choice);
  }

  std::optional<size_t> index_of(const std::string& name) const {
    const auto found = index_.find(host_identity(name));
    if (found != index_.end()) return found->second;
    return other_name_ ? other_name_(name) : std::nullopt;
  }

  void choose_slots(std::string_view node, const Host& host, const std::string& text, Choice& choice) {
    const std::vector<int> available = slots_of(host);
    for (const std::string& part : split(text, ',')) {
      const auto slot = parse_int(trim(part));
      if (!slot || *slot < 0 || *slot >= kMaxSlots) refuse(node, quote(part) + " is not a slot number");
      else if (host.slots && !std::binary_search(available.begin(), available.end(), static_cast<int>(*slot)))
        refuse(node,
               "host " + host.name + " has no slot " + std::to_string(*slot) + ", its slots: " + slot_text(available));
      else choice.slots.insert(static_cast<int>(*slot));
    }
  }

  std::string host_names() const {
    constexpr size_t kShown = 16;
    std::vector<std::string> names;
    for (const Host& host : cluster_.hosts) {
      if (names.size() == kShown) return join(names, ", ") + ", ... (" + std::to_string(cluster_.hosts.size()) + ")";
      names.push_back(host.name);
    }
    return join(names, ", ");
  }

  const Cluster& cluster_;
  std::string option_;
  const OtherName& other_name_;
  std::map<std::string, size_t> index_;  // by identity
  size_t num_names_ = 0;
  std::vector<Choice> choices_;
  std::vector<std::string> problems_;
};

Host with_slots(Host host, std::vector<int> slots) {
  host.slots = static_cast<int>(slots.size());
  std::vector<int> all(slots.size());
  std::iota(all.begin(), all.end(), 0);
  host.slot_ids = slots == all ? std::vector<int>{} : std::move(slots);
  return host;
}

void include(const Host& host, const Choice& choice, Cluster& result) {
  if (choice.whole) result.hosts.push_back(host);
  else if (choice.mentioned) result.hosts.push_back(with_slots(host, {choice.slots.begin(), choice.slots.end()}));
}

void exclude(const Host& host, const Choice& choice, Cluster& result) {
  if (!choice.mentioned) return result.hosts.push_back(host);
  if (choice.whole) return;
  if (!host.slots)
    throw Error(ErrorCode::kUsage,
                "--exclude: slots of host " + host.name + " are not known: give them as slots=N in the hostfile");
  std::vector<int> left;
  for (int slot : slots_of(host))
    if (!choice.slots.contains(slot)) left.push_back(slot);
  if (!left.empty()) result.hosts.push_back(with_slots(host, std::move(left)));
}

}  // namespace

Cluster filter_hosts(const Cluster& cluster, std::string_view include_text, std::string_view exclude_text,
                     const OtherName& other_name) {
  const bool including = !include_text.empty();
  if (including && !exclude_text.empty())
    throw Error(ErrorCode::kUsage, "--include and --exclude cannot be given together");
  if (!including && exclude_text.empty()) return cluster;
  const FilterReader filter(cluster, including ? "--include" : "--exclude", including ? include_text : exclude_text,
                            other_name);
  Cluster result;
  for (size_t i = 0; i < cluster.hosts.size(); ++i)
    (including ? include : exclude)(cluster.hosts[i], filter.choices()[i], result);
  if (result.hosts.empty())
    throw Error(ErrorCode::kUsage, "--exclude: " + quote(exclude_text) + ": no host is left");
  return result;
}

Cluster first_hosts(const Cluster& cluster, int count) {
  const int have = static_cast<int>(cluster.hosts.size());
  if (count < 1 || count > have)
    throw Error(ErrorCode::kUsage, "--num_nodes: " + std::to_string(count) + ": must be 1 to the number of hosts, " +
                                       std::to_string(have));
  return {{cluster.hosts.begin(), cluster.hosts.begin() + count}};
}

Cluster first_slots(const Cluster& cluster, int count) {
  std::vector<std::string> problems;
  if (count < 1 || count > kMaxSlots)
    problems.push_back("--num_gpus: " + std::to_string(count) + ": must be 1 or more");
  Cluster result;
  for (const Host& host : cluster.hosts) {
    std::vector<int> slots = slots_of(host);
    if (host.slots && count > *host.slots)
      problems.push_back("--num_gpus: " + std::to_string(count) + ": host " + host.name + " has " +
                         std::to_string(*host.slots) + " slots");
    if (!problems.empty()) continue;
    slots.resize(static_cast<size_t>(count));
    if (!host.slots) std::iota(slots.begin(), slots.end(), 0);
    result.hosts.push_back(with_slots(host, std::move(slots)));
  }
  throw_if_any("", problems);
  return result;
}

}  // namespace ds
