// Topology files -> hosts with their hardware.
#include "topology/topology_file.h"

#include "tests/fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ds;
  const auto cluster = fuzz::answer_of([&] { return parse_topology(std::string(fuzz::text_of(data, size)), "f"); });
  if (!cluster) return 0;
  fuzz::require(!cluster->hosts.empty(), "a topology file that is read has a host");
  size_t num_cores = 0;
  for (const Host& host : cluster->hosts) num_cores += host.cores.size();
  if (num_cores > 10000) return 0;  // a short text can ask for many; as text they would fill the memory
  fuzz::require(parse_topology(topology_text(*cluster), "again") == *cluster,
                "a description is read as it was written");
  const Cluster same = with_hardware(*cluster, *cluster);
  fuzz::require(same == *cluster, "a description fits its own hosts");
  return 0;
}
