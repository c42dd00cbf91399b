// The topology files that come with the sources.
#pragma once

#include <string>

#include "tests/support/places.h"
#include "topology/base/text.h"
#include "topology/placement.h"
#include "topology/topology_file.h"

namespace ds {

// With open slots filled as for a training job: one for each GPU.
inline Cluster sample_cluster(const std::string& name, size_t num_hosts = 0) {
  const std::string path = (test::source_folder() / "topology/samples" / name).string();
  Cluster cluster = parse_topology(read_file(path), name);
  if (num_hosts > 0) cluster.hosts.resize(num_hosts);
  fill_slots(cluster, true);
  return cluster;
}

}  // namespace ds
