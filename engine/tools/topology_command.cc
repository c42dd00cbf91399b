#include "engine/tools/topology_command.h"

#include <ostream>

#include "engine/tools/text_table.h"
#include "topology/base/text.h"
#include "topology/discover_hwloc.h"
#include "topology/topology_file.h"

namespace ds {
namespace {

std::string number_at(const std::vector<int>& values, size_t i) { return i < values.size() ? std::to_string(values[i]) : "-"; }

void print_host(const Host& host, std::ostream& out) {
  print_table({{"host", host.name},
               {"addresses", host.addresses.empty() ? "none" : join(host.addresses, ", ")},
               {"memory", bytes_text(static_cast<int64_t>(host.memory_bytes))},
               {"GPUs", host.gpus.empty() ? "none" : join(host.gpus, ", ")}},
              out);
  std::vector<std::vector<std::string>> table{{"\ncore", "NUMA node", "socket"}};
  for (size_t i = 0; i < host.cores.size(); ++i)
    table.push_back({std::to_string(host.cores[i]), number_at(host.numa_of_core, i), number_at(host.socket_of_core, i)});
  print_table(table, out);
}

int topology(const std::vector<std::string>& words, std::ostream& out) {
  const Arguments arguments(words, {{"--json"}}, 0, 0);
  const Host host = discover_host();
  if (arguments.has("--json")) out << topology_text({{host}});
  else print_host(host, out);
  return kToolOk;
}

}  // namespace

Command topology_command() {
  return {"topology", "cores, memory, GPUs and addresses of this host",
          "Usage: dstool topology [--json]\n\nThis host as ranks would be placed on it. --json prints a topology file, which\n"
          "`dslaunch --topology` takes instead of asking the hosts.\n\nExample: dstool topology --json > this_host.json\n",
          topology};
}

}  // namespace ds
