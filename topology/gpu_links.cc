#include "topology/gpu_links.h"

#include <algorithm>

#include "topology/base/text.h"

namespace ds {
namespace {

// Drivers write the domain with four or with eight digits.
std::string short_bus_id(const std::string& bus_id) {
  const size_t domain = bus_id.find(':');
  return domain != std::string::npos && domain > 4 ? lower(bus_id.substr(domain - 4)) : lower(bus_id);
}

bool any_links(const std::vector<std::vector<int>>& links) {
  return std::any_of(links.begin(), links.end(), [](const auto& row) {
    return std::any_of(row.begin(), row.end(), [](int count) { return count > 0; });
  });
}

}  // namespace

std::vector<std::vector<int>> link_counts(const std::vector<std::string>& bus_ids,
                                          const std::vector<std::vector<std::string>>& ends) {
  const size_t n = bus_ids.size();
  std::vector<std::vector<int>> links(n, std::vector<int>(n));
  std::vector<int> to_switches(n);
  for (size_t i = 0; i < n && i < ends.size(); ++i)
    for (const std::string& end : ends[i]) {
      const auto gpu = std::find_if(bus_ids.begin(), bus_ids.end(), [&](const std::string& id) {
        return !id.empty() && short_bus_id(id) == short_bus_id(end);
      });
      if (gpu == bus_ids.end()) ++to_switches[i];
      else ++links[i][static_cast<size_t>(gpu - bus_ids.begin())];
    }
  std::vector<std::vector<int>> counts(n, std::vector<int>(n));
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      if (i != j) counts[i][j] = std::max(links[i][j], links[j][i]) + std::min(to_switches[i], to_switches[j]);
  if (!any_links(counts)) counts.clear();
  return counts;
}

std::vector<std::vector<int>> links_of_devices(const std::vector<std::vector<int>>& links,
                                               const std::vector<int>& devices) {
  std::vector<std::vector<int>> part;
  if (links.empty()) return part;
  for (const int a : devices) {
    part.emplace_back();
    for (const int b : devices)
      part.back().push_back(a < 0 || b < 0 || a == b ? 0 : links[static_cast<size_t>(a)][static_cast<size_t>(b)]);
  }
  if (!any_links(part)) part.clear();
  return part;
}

}  // namespace ds
