#include "tests/mpirun/placement_oracle.h"

#include <gtest/gtest.h>
#include <hwloc.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <regex>

#include "launcher/options/options.h"
#include "launcher/plan/launch_plan.h"
#include "tests/mpirun/mpirun_run.h"
#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/binding_text.h"
#include "topology/discover_hwloc.h"

namespace ds::testing {
namespace {

std::string xml_of(const std::string& synthetic) {
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  hwloc_topology_set_synthetic(topology, synthetic.c_str());
  hwloc_topology_load(topology);
  char* buffer = nullptr;
  int length = 0;
  hwloc_topology_export_xmlbuffer(topology, &buffer, &length, 0);
  std::string xml(buffer, static_cast<size_t>(length - 1));
  hwloc_free_xmlbuffer(topology, buffer);
  hwloc_topology_destroy(topology);
  return xml;
}

// mpirun knows what it is told of this machine's name only; of others it says where ranks go, not what they are bound to.
std::string host_name(const MadeUpHosts& hosts, size_t host) {
  return hosts.slots.size() == 1 ? "localhost" : "h" + std::to_string(host);
}

struct Place {
  std::string host, picture;
};

// A rank bound to everything is not bound.
std::string effective(const std::string& picture) {
  return picture.find('[') == std::string::npos || picture.find('.') == std::string::npos ? "unbound" : picture;
}

std::string in_order(const MadeUpHosts& hosts, const std::map<int, Place>& places) {
  std::string text;
  for (const auto& [rank, place] : places)
    text += std::to_string(rank) + " " + (hosts.slots.size() == 1 ? effective(place.picture) : place.host) + "\n";
  return text.empty() ? "refused" : text;
}

}  // namespace

std::string mpirun_says(const MadeUpHosts& hosts, const std::vector<std::string>& options) {
  const std::string file = ::testing::TempDir() + "machine-" + std::to_string(::getpid()) + ".xml";
  std::ofstream(file) << xml_of(hosts.machine);
  std::vector<std::string> names;
  for (size_t h = 0; h < hosts.slots.size(); ++h) names.push_back(host_name(hosts, h) + ":" + std::to_string(hosts.slots[h]));
  std::vector<std::string> words = {"-H", join(names, ","), "--display-map", "--do-not-launch"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back("true");
  const std::string out = run_mpirun(words, {"", {{"HWLOC_XMLFILE", file}, {"HWLOC_THISSYSTEM", "1"}}, "/tmp"}).out;
  std::map<int, Place> places;
  std::string host;
  const std::regex node("Data for node: (\\S+)");
  const std::regex rank("Process rank: ([0-9]+) Bound: (?:.*:)?(\\[[B./\\]\\[]*|UNBOUND|N/A)");
  for (const std::string& line : split(out, '\n')) {
    std::smatch found;
    if (std::regex_search(line, found, node)) host = found[1];
    if (std::regex_search(line, found, rank)) places[std::stoi(found[1])] = {host, found[2]};
  }
  return in_order(hosts, places);
}

std::string dslaunch_says(const MadeUpHosts& hosts, const std::vector<std::string>& options) {
  std::vector<std::string> words = options;
  words.push_back("true");
  const Host machine = cores_from_hwloc_xml(xml_of(hosts.machine));
  Cluster cluster;
  for (size_t h = 0; h < hosts.slots.size(); ++h) {
    cluster.hosts.push_back(machine);
    cluster.hosts.back().name = host_name(hosts, h);
    cluster.hosts.back().slots = hosts.slots[h];
  }
  std::map<int, Place> places;
  try {
    const std::vector<bool> local(hosts.slots.size(), false);
    const LaunchPlan plan = plan_launch(parse_options(words), cluster, "test", local, nullptr);
    for (const RankPlace& place : plan.ranks) {
      const Host& host = cluster.hosts[place.host];
      const std::string text = binding_text(host, place.cpus);
      places[place.rank] = {host.name, text.substr(text.rfind(": ") == std::string::npos ? 0 : text.rfind(": ") + 2)};
    }
  } catch (const Error&) {
    return in_order(hosts, {});
  }
  return in_order(hosts, places);
}

}  // namespace ds::testing
