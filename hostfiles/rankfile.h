// Rankfiles: which rank runs on which host and cores, "rank 0=a slot=1:0-2".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/placement.h"

namespace ds {

// One item of slot=: core numbers of the host, or of one of its sockets. Numbers count usable cores from 0.
struct CoreRange {
  std::optional<int> socket{};
  int first = 0;
  int last = 0;  // -1 = all, as in "1:*"

  bool operator==(const CoreRange&) const = default;
};

struct RankfileEntry {
  int rank = 0;
  std::string host{};              // empty for a relative host
  std::optional<int> host_index{};  // "+n2": third host of the cluster
  std::vector<CoreRange> cores{};   // empty = not bound
  int line = 0;
};

struct Rankfile {
  std::string file;
  std::vector<RankfileEntry> entries;  // by rank, 0 ... n-1, none missing
};

// Throws one kUsage Error with all problems, each naming file, line and the offending text: malformed lines, ranks
// given twice or missing. Comments and blanks are as in hostfiles.
Rankfile parse_rankfile(std::string_view text, const std::string& file);

// The hosts the file names, in order of their first rank, slots = number of their ranks; for a job that has no other
// list of hosts. Throws kUsage when the file uses relative hosts.
Cluster hosts_of(const Rankfile& rankfile);

// Places by the file on a cluster. Throws kUsage naming lines: a host that is not in the cluster, a core or socket the
// host does not have (hosts whose cores are not known bind nothing).
std::vector<RankPlace> place_ranks(const Cluster& cluster, const Rankfile& rankfile);

// Replaces +n<i> by the name of that host, so that the file holds for any part of the list too. Throws kUsage: no such host.
void name_hosts(Rankfile& rankfile, const Cluster& cluster);

}  // namespace ds
