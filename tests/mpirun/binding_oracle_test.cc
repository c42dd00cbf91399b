// Where mpirun puts and binds ranks on machines that are not here, told by mpirun itself (hwloc is given a made-up machine
// and nothing is started), and where our plan does.
#include <gtest/gtest.h>
#include <hwloc.h>

#include <fstream>
#include <regex>

#include "launcher/plan/launch_plan.h"
#include "launcher/options/options.h"
#include "tests/mpirun/mpirun_run.h"
#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/binding_text.h"
#include "topology/discover_hwloc.h"

namespace ds::testing {
namespace {

struct Machine {
  std::string name, synthetic;  // hwloc's description
};

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

constexpr const char* kUnbound = "unbound";
constexpr const char* kRefused = "refused";

// A rank bound to everything is not bound.
std::string effective(const std::string& picture) {
  return picture.find('[') == std::string::npos || picture.find('.') == std::string::npos ? kUnbound : picture;
}

// "0 [BB/..]" a rank, in order of their numbers; kRefused.
std::string in_order(std::map<int, std::string> pictures) {
  std::string text;
  for (const auto& [rank, picture] : pictures) text += std::to_string(rank) + " " + effective(picture) + "\n";
  return text.empty() ? kRefused : text;
}

std::string mpirun_says(const std::string& xml, const std::vector<std::string>& options) {
  const std::string file = ::testing::TempDir() + "machine-" + std::to_string(::getpid()) + ".xml";
  std::ofstream(file) << xml;
  std::vector<std::string> words = {"-H", "localhost:8", "--display-map", "--do-not-launch"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back("true");
  const std::string out = run_mpirun(words, {"", {{"HWLOC_XMLFILE", file}, {"HWLOC_THISSYSTEM", "1"}}, "/tmp"}).out;
  std::map<int, std::string> pictures;
  const std::regex line("Process rank: ([0-9]+) Bound: (?:.*:)?(\\[[B./\\]\\[]*|UNBOUND|N/A)");
  for (std::sregex_iterator match(out.begin(), out.end(), line), end; match != end; ++match)
    pictures[std::stoi((*match)[1])] = (*match)[2];
  return in_order(std::move(pictures));
}

std::string dslaunch_says(const std::string& xml, std::vector<std::string> options) {
  options.push_back("true");
  Host host = cores_from_hwloc_xml(xml);
  host.name = "localhost";
  host.slots = 8;
  std::map<int, std::string> pictures;
  try {
    const LaunchPlan plan = plan_launch(parse_options(options), Cluster{{host}}, "test", {true}, nullptr);
    for (const RankPlace& place : plan.ranks) {
      const std::string text = binding_text(host, place.cpus);
      pictures[place.rank] = text.substr(text.rfind(": ") == std::string::npos ? 0 : text.rfind(": ") + 2);
    }
  } catch (const Error&) {
    return kRefused;
  }
  return in_order(std::move(pictures));
}

const std::vector<Machine> kMachines{{"TwoSockets", "pack:2 numa:1 core:4 pu:2"},
                                     {"FourNumaNodes", "pack:2 numa:2 core:2 pu:2"},
                                     {"OneSocket", "pack:1 numa:1 core:8 pu:1"}};

const std::vector<std::string> kLines{"-np 1",
                                      "-np 2",
                                      "-np 3",
                                      "-np 8",
                                      "-np 9",
                                      "-np 9 --oversubscribe",
                                      "-np 3 --bind-to none",
                                      "-np 3 --bind-to core",
                                      "-np 3 --bind-to socket",
                                      "-np 2 --bind-to socket",
                                      "-np 4 --bind-to numa",
                                      "-np 4 --bind-to hwthread",
                                      "-np 4 --map-by core",
                                      "-np 3 --map-by socket",
                                      "-np 4 --map-by numa",
                                      "-np 4 --map-by hwthread",
                                      "-np 3 --map-by node",
                                      "-np 3 --map-by slot",
                                      "-np 2 --map-by slot",
                                      "-np 4 --map-by core --bind-to socket",
                                      "-np 4 --map-by socket --bind-to core",
                                      "-np 8 --map-by socket --rank-by core",
                                      "-np 8 --map-by socket --rank-by socket",
                                      "-np 8 --map-by core --rank-by socket",
                                      "-np 8 --map-by numa --rank-by core",
                                      "-np 8 --map-by numa --rank-by hwthread",
                                      "-np 8 --map-by slot --rank-by numa",
                                      "-np 2 --map-by slot:PE=2",
                                      "-np 4 --map-by slot:PE=2",
                                      "-np 2 --map-by socket:PE=2",
                                      "-np 2 --map-by :PE=2",
                                      "-np 4 --map-by :PE=2,OVERSUBSCRIBE",
                                      "-np 2 --map-by :OVERSUBSCRIBE",
                                      "-np 3 --map-by :OVERSUBSCRIBE",
                                      "-np 9 --map-by :OVERSUBSCRIBE",
                                      "-np 2 --map-by node:PE=2",
                                      "-np 3 --map-by numa:PE=3",
                                      "-np 4 --map-by core:PE=2",
                                      "--map-by ppr:1:socket",
                                      "--map-by ppr:2:socket",
                                      "--map-by ppr:2:socket --bind-to core",
                                      "-np 4 --map-by ppr:1:core",
                                      "-np 5 --map-by ppr:2:numa",
                                      "-np 4 --map-by ppr:4:node",
                                      "--map-by ppr:9:node",
                                      "--map-by ppr:5:socket",
                                      "-N 3",
                                      "-npernode 2",
                                      "-pernode",
                                      "-npersocket 1",
                                      "-np 2 --cpus-per-proc 2",
                                      "-np 4 --bycore",
                                      "-np 4 --bynode",
                                      "-np 2 --bind-to-core",
                                      "-np 4 --bind-to-socket",
                                      "-np 2 --use-hwthread-cpus",
                                      "-np 4 --use-hwthread-cpus",
                                      "-np 2 --use-hwthread-cpus --bind-to core",
                                      "-np 8 --use-hwthread-cpus --bind-to hwthread",
                                      "-np 2 --use-hwthread-cpus --map-by numa:PE=2"};

class BindingOracle : public ::testing::TestWithParam<Machine> {};

TEST_P(BindingOracle, PutsRanksWhereMpirunDoes) {
  if (const std::string reason = no_oracle(); !reason.empty()) GTEST_SKIP() << reason;
  const std::string xml = xml_of(GetParam().synthetic);
  for (const std::string& line : kLines)
    EXPECT_EQ(dslaunch_says(xml, split(line, ' ')), mpirun_says(xml, split(line, ' '))) << "with " << line;
}

INSTANTIATE_TEST_SUITE_P(Every, BindingOracle, ::testing::ValuesIn(kMachines), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ds::testing
