#include "hostfiles/host_option.h"

#include <algorithm>
#include <map>

#include "hostfiles/host_name.h"
#include "hostfiles/host_range.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr size_t kMaxProblems = 30;  // a list of another kind would have one an item

struct Item {
  std::vector<std::string> names;
  std::string user;
  std::optional<int> slots = 1;  // nullopt for "*"
};

// One item; what is wrong with it goes to `problems`.
Item parse_item(std::string_view text, std::vector<std::string>& problems) {
  Item item;
  const auto refuse = [&](const std::string& cause) { problems.push_back("host list: " + quote(text) + ": " + cause); };
  const WrittenHost written = split_written_host(text);
  item.user = written.user;
  if (text.find('@') != std::string_view::npos && !is_user_name(item.user)) refuse("bad user name");
  try {
    item.names = written.bracketed ? std::vector{written.name} : expand_host_range(written.name);
  } catch (const Error& error) {
    refuse(error.what());
  }
  for (const std::string& name : item.names)
    if (!is_host_name(name)) return refuse(quote(name) + " is not a host name"), item;
  if (!written.tail) return item;
  if (*written.tail == "*") {
    item.slots = std::nullopt;
    return item;
  }
  const auto slots = parse_int(*written.tail);
  if (!slots || *slots < 0 || *slots > kMaxSlots)
    refuse("slots after ':' must be 0 to " + std::to_string(kMaxSlots) + " or *");
  else
    item.slots = static_cast<int>(*slots);
  return item;
}

void add_slots(Host& host, const Item& item, std::vector<std::string>& problems) {
  if (!host.user.empty() && !item.user.empty() && host.user != item.user)
    problems.push_back("host list: host " + host.name + " has two users: " + host.user + ", " + item.user);
  if (host.user.empty()) host.user = item.user;
  if (!host.slots || !item.slots) {
    host.slots = std::nullopt;
    return;
  }
  host.slots = *host.slots + *item.slots;
  if (*host.slots > kMaxSlots)
    problems.push_back("host list: host " + host.name + ": more than " + std::to_string(kMaxSlots) + " slots");
}

}  // namespace

Cluster parse_host_option(std::string_view list) {
  Cluster cluster;
  std::vector<std::string> problems;
  std::map<std::string, size_t> seen;
  size_t num_names = 0;
  for (const std::string& part : split_host_list(list)) {
    const Item item = parse_item(part, problems);
    num_names += item.names.size();
    if (num_names > kMaxRangeHosts)
      problems.push_back("host list: more than " + std::to_string(kMaxRangeHosts) + " hosts");
    if (num_names > kMaxRangeHosts || problems.size() >= kMaxProblems) break;
    for (const std::string& name : item.names) {
      const auto [at, added] = seen.emplace(host_identity(name), cluster.hosts.size());
      if (added) cluster.hosts.push_back({.name = name, .slots = 0});
      if (problems.empty()) add_slots(cluster.hosts[at->second], item, problems);
    }
  }
  if (cluster.hosts.empty() && problems.empty()) problems.push_back("host list: " + quote(list) + ": no host");
  throw_if_any("", problems);
  return cluster;
}

}  // namespace ds
