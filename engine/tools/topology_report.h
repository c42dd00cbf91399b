// A cluster as tables for people: cores, caches, GPUs, NICs, distances and what they carry.
#pragma once

#include <iosfwd>

#include "topology/host.h"

namespace ds {

void print_described_host(const Cluster& cluster, size_t host, std::ostream& out);

// Distances between hosts (of up to 16), and the bandwidth of each distance.
void print_network(const Cluster& cluster, std::ostream& out);

}  // namespace ds
