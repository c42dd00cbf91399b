// What hosts have told about themselves beyond their hardware: which machine they are, and a free port.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ds {

class HostReports {
 public:
  // Remembers a report; the other host that reported the same machine, if one did ("" = the machine is not known).
  std::optional<int> add(int host, const std::string& machine, uint32_t free_port);

  // A port that was free on this host when it reported; 0 = not told.
  int free_port(int host) const;

 private:
  struct Told {
    std::string machine;
    uint32_t free_port = 0;
  };
  std::map<int, Told> told_;
};

}  // namespace ds
