#include "hostfiles/rankfile.h"

#include <algorithm>
#include <map>

#include "hostfiles/host_name.h"
#include "hostfiles/hostfile_line.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr int kMaxRank = 1 << 20;
constexpr int kMaxCore = 65535;
constexpr size_t kMaxProblems = 30;

[[noreturn]] void refuse(const std::string& cause) { throw Error(ErrorCode::kUsage, cause); }

int number(std::string_view text, int highest, const std::string& what) {
  text = trim(text);
  const auto value = parse_int(text);
  if (!value || *value < 0 || *value > highest)
    refuse(what + " " + quote(text) + " is not a number from 0 to " + std::to_string(highest));
  return static_cast<int>(*value);
}

CoreRange parse_range(std::string_view text) {
  CoreRange range;
  const auto colon = text.find(':');
  if (colon != std::string_view::npos) {
    range.socket = number(text.substr(0, colon), kMaxCore, "socket");
    text.remove_prefix(colon + 1);
  }
  if (text == "*") {
    range.last = -1;
    return range;
  }
  const auto dash = text.find('-');
  range.first = number(text.substr(0, dash), kMaxCore, "core");
  range.last = dash == std::string_view::npos ? range.first : number(text.substr(dash + 1), kMaxCore, "core");
  if (range.last < range.first) refuse("range " + quote(text) + " runs backwards");
  return range;
}

// "0-2,5", "1:0-2", "0:0,1:1"; a socket holds for the items behind it ("1:0,2" = cores 0 and 2 of socket 1).
std::vector<CoreRange> parse_slots(std::string_view text) {
  std::vector<CoreRange> ranges;
  std::optional<int> socket;
  for (const std::string& part : split(text, ',')) {
    CoreRange range = parse_range(trim(part));
    if (range.socket) socket = range.socket;
    range.socket = socket;
    ranges.push_back(range);
  }
  return ranges;
}

void parse_host(std::string_view text, RankfileEntry& entry) {
  if (text.starts_with("+n")) {
    entry.host_index = number(text.substr(2), kMaxCore, "relative host");
  } else if (is_host_name(text)) {
    entry.host = text;
  } else {
    refuse(quote(text) + " is not a host name");
  }
}

// "rank N=host [slot=list]"; blanks around '=' are allowed.
RankfileEntry parse_line(std::string_view text) {
  const std::string form = "expected 'rank N=host slot=cores', found " + quote(text);
  const auto equals = text.find('=');
  if (!text.starts_with("rank") || equals == std::string_view::npos || equals < 5 ||
      (text[4] != ' ' && text[4] != '\t'))
    refuse(form);
  RankfileEntry entry;
  entry.rank = number(text.substr(4, equals - 4), kMaxRank, "rank");
  std::string_view rest = trim(text.substr(equals + 1));
  const auto host_end = rest.find_first_of(" \t");
  parse_host(rest.substr(0, host_end), entry);
  rest = host_end == std::string_view::npos ? std::string_view() : trim(rest.substr(host_end));
  if (rest.empty()) return entry;
  const auto slot = rest.find('=');
  const std::string key = lower(trim(rest.substr(0, slot)));
  if (slot == std::string_view::npos || (key != "slot" && key != "slots")) refuse(form);
  entry.cores = parse_slots(trim(rest.substr(slot + 1)));
  return entry;
}

void check_ranks(const Rankfile& rankfile, std::vector<std::string>& problems) {
  for (size_t i = 0; i < rankfile.entries.size(); ++i) {
    const RankfileEntry& entry = rankfile.entries[i];
    const int expected = i == 0 ? 0 : rankfile.entries[i - 1].rank + 1;
    if (entry.rank < expected)
      problems.push_back("rankfile " + rankfile.file + ": rank " + std::to_string(entry.rank) +
                         " is given twice (lines " + std::to_string(rankfile.entries[i - 1].line) + " and " +
                         std::to_string(entry.line) + ")");
    if (entry.rank > expected)
      problems.push_back("rankfile " + rankfile.file + ": rank " + std::to_string(expected) + " is missing");
    if (problems.size() >= kMaxProblems) return;
  }
}

std::string at(const Rankfile& rankfile, const RankfileEntry& entry) {
  return "rankfile " + rankfile.file + ":" + std::to_string(entry.line) + ": ";
}

size_t host_index(const Cluster& cluster, const RankfileEntry& entry) {
  if (entry.host_index) {
    if (static_cast<size_t>(*entry.host_index) >= cluster.hosts.size())
      refuse("+n" + std::to_string(*entry.host_index) + ": there are " + std::to_string(cluster.hosts.size()) +
             " hosts, counted from 0");
    return static_cast<size_t>(*entry.host_index);
  }
  const auto same = [&](const Host& host) { return host_identity(host.name) == host_identity(entry.host); };
  const auto found = std::find_if(cluster.hosts.begin(), cluster.hosts.end(), same);
  if (found == cluster.hosts.end()) refuse("host " + quote(entry.host) + " is not in the list of hosts");
  return static_cast<size_t>(found - cluster.hosts.begin());
}

std::vector<int> cores_of_socket(const Host& host, std::optional<int> socket) {
  if (!socket) return host.cores;
  std::vector<int> cores;
  for (size_t i = 0; i < host.cores.size(); ++i)
    if ((i < host.socket_of_core.size() ? host.socket_of_core[i] : 0) == *socket) cores.push_back(host.cores[i]);
  if (cores.empty()) refuse("host " + host.name + " has no socket " + std::to_string(*socket));
  return cores;
}

std::vector<int> cpus_of(const Host& host, const std::vector<CoreRange>& ranges) {
  std::vector<int> cpus;
  if (host.cores.empty()) return cpus;
  for (const CoreRange& range : ranges) {
    const std::vector<int> cores = cores_of_socket(host, range.socket);
    const int last = range.last < 0 ? static_cast<int>(cores.size()) - 1 : range.last;
    if (last >= static_cast<int>(cores.size()))
      refuse("host " + host.name + " has " + std::to_string(cores.size()) + " cores there, no core " +
             std::to_string(last));
    cpus.insert(cpus.end(), cores.begin() + range.first, cores.begin() + last + 1);
  }
  for (size_t i = 0; i < host.threads_of_core.size(); ++i)  // a core is all its hardware threads
    if (std::find(cpus.begin(), cpus.end(), host.cores[i]) != cpus.end())
      cpus.insert(cpus.end(), host.threads_of_core[i].begin(), host.threads_of_core[i].end());
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

}  // namespace

Rankfile parse_rankfile(std::string_view text, const std::string& file) {
  Rankfile rankfile{file, {}};
  std::vector<std::string> problems;
  int unclosed_line = 0;
  const std::vector<std::string> lines = split(without_comments(text, unclosed_line), '\n');
  for (size_t i = 0; i < lines.size() && problems.size() < kMaxProblems; ++i) {
    if (trim(lines[i]).empty()) continue;
    try {
      rankfile.entries.push_back(parse_line(trim(lines[i])));
      rankfile.entries.back().line = static_cast<int>(i) + 1;
    } catch (const Error& error) {
      problems.push_back("rankfile " + file + ":" + std::to_string(i + 1) + ": " + error.what());
    }
  }
  if (unclosed_line)
    problems.push_back("rankfile " + file + ":" + std::to_string(unclosed_line) + ": '/*' without '*/'");
  std::stable_sort(rankfile.entries.begin(), rankfile.entries.end(),
                   [](const auto& a, const auto& b) { return a.rank < b.rank; });
  if (problems.empty()) check_ranks(rankfile, problems);
  if (rankfile.entries.empty() && problems.empty()) problems.push_back("rankfile " + file + " has no ranks");
  throw_if_any("", problems);
  return rankfile;
}

Cluster hosts_of(const Rankfile& rankfile) {
  Cluster cluster;
  std::map<std::string, size_t> seen;
  for (const RankfileEntry& entry : rankfile.entries) {
    if (entry.host_index) refuse(at(rankfile, entry) + "a relative host needs a list of hosts: give --hostfile or -H");
    const auto [place, added] = seen.emplace(host_identity(entry.host), cluster.hosts.size());
    if (added) cluster.hosts.push_back({.name = entry.host, .slots = 0});
    ++*cluster.hosts[place->second].slots;
  }
  return cluster;
}

void name_hosts(Rankfile& rankfile, const Cluster& cluster) {
  for (RankfileEntry& entry : rankfile.entries) {
    if (!entry.host_index) continue;
    try {
      entry.host = cluster.hosts[host_index(cluster, entry)].name;
    } catch (const Error& error) {
      refuse(at(rankfile, entry) + error.what());
    }
    entry.host_index.reset();
  }
}

std::vector<RankPlace> place_ranks(const Cluster& cluster, const Rankfile& rankfile) {
  std::vector<RankPlace> places;
  std::vector<std::string> problems;
  std::vector<int> placed(cluster.hosts.size());
  for (const RankfileEntry& entry : rankfile.entries) {
    try {
      RankPlace place{.rank = entry.rank, .host = host_index(cluster, entry)};
      place.local_rank = place.slot = placed[place.host]++;
      place.cpus = cpus_of(cluster.hosts[place.host], entry.cores);
      places.push_back(std::move(place));
    } catch (const Error& error) {
      if (problems.size() < kMaxProblems) problems.push_back(at(rankfile, entry) + error.what());
    }
  }
  throw_if_any("", problems);
  return places;
}

}  // namespace ds
