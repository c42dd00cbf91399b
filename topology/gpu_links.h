// How many NVLinks join each two GPUs, from what is at the other end of each GPU's links. Pure.
#pragma once

#include <string>
#include <vector>

namespace ds {

// `bus_ids`: PCI address of each GPU; `ends`: addresses at the ends of its links. An end that is no GPU is an NVSwitch, which
// joins all GPUs that have links to one: two of them by as many links as both have. Empty when nobody has links.
std::vector<std::vector<int>> link_counts(const std::vector<std::string>& bus_ids,
                                          const std::vector<std::vector<std::string>>& ends);

// The part of such a matrix that belongs to these devices, in this order; -1 = one without links.
std::vector<std::vector<int>> links_of_devices(const std::vector<std::vector<int>>& links,
                                               const std::vector<int>& devices);

}  // namespace ds
