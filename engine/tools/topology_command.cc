#include "engine/tools/topology_command.h"

#include <ostream>

#include "engine/tools/topology_report.h"
#include "topology/base/text.h"
#include "topology/discover_hwloc.h"
#include "topology/topology_file.h"

namespace ds {
namespace {

int topology(const std::vector<std::string>& words, std::ostream& out) {
  const Arguments arguments(words, {{"--json"}}, 0, 1);
  const bool from_file = !arguments.positional().empty();
  const Cluster cluster = from_file ? parse_topology(read_file(arguments.positional()[0]), arguments.positional()[0])
                                    : Cluster{{discover_host(DeviceScan::kAlways)}, {}};
  if (arguments.has("--json")) {
    out << topology_text(cluster);
    return kToolOk;
  }
  for (size_t host = 0; host < cluster.hosts.size(); ++host) {
    if (host > 0) out << "\n";
    print_described_host(cluster, host, out);
  }
  print_network(cluster, out);
  return kToolOk;
}

}  // namespace

Command topology_command() {
  return {"topology", "cores, caches, GPUs, NICs and distances of this host or of a topology file",
          "Usage: dstool topology [FILE] [--json]\n\nThis host as ranks would be placed on it, or the hosts that a "
          "topology file describes.\n"
          "--json prints a topology file with every shortcut written out; `dslaunch --topology` takes it instead of "
          "asking\n"
          "the hosts.\n\nExample: dstool topology --json > this_host.json\n",
          topology};
}

}  // namespace ds
