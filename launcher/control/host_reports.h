// What hosts have told about themselves beyond their hardware: which machine they are, a free port, and how
// often memory had run out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ds {

namespace control {
class HostReport;
}

class HostReports {
 public:
  // Remembers a report; the other host that reported the same machine, if one did.
  std::optional<int> add(int host, const control::HostReport& report);

  // A port that was free on this host when it reported; 0 = not told.
  int free_port(int host) const;

  // The kernel's out-of-memory killer has acted on this host since it reported, of which `now` is the count.
  bool memory_ran_out(int host, uint64_t now) const;

 private:
  struct Told {
    std::string machine;  // "" = not known
    uint32_t free_port = 0;
    uint64_t oom_kills = 0;
  };
  std::map<int, Told> told_;
};

}  // namespace ds
