// Hostfiles: one host a line, "name [key=value]...". The grammar is docs/hostfile_format.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/host.h"

namespace ds {

struct HostfileEntry {
  std::string name{};            // one host; ranges are already expanded
  std::optional<int> slots{};    // as given by slots=, max_slots= or "name:4"; nullopt for a bare name
  std::optional<int> max_slots{};
  int mentions = 1;              // lines that name it bare; a repeated bare name is one entry
  int port = 0;                  // 0 = not given
  std::string user{};            // empty = not given
  bool excluded = false;         // "^name": the host is taken out of the file's list
  int line = 0;                  // of the first mention, counted from 1
};

struct HostfileResult {
  std::vector<HostfileEntry> entries{};  // in file order, no two of one name
  std::vector<std::string> warnings{};  // "file:line: ...", for stderr
};

// `file` only names the source in messages. Throws one kUsage Error with all problems of the text, each naming file,
// line and the offending text; also when no host is left.
HostfileResult parse_hostfile(std::string_view text, const std::string& file);

// The hosts of a parsed file without the excluded ones. Bare names: with `one_slot_per_line` (the user gave -np) one
// slot per mention, otherwise unknown (the host's cores).
Cluster hosts_of(const HostfileResult& hostfile, bool one_slot_per_line);

}  // namespace ds
