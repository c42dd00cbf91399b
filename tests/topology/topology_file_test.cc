#include "topology/topology_file.h"

#include <gtest/gtest.h>

#include "tests/topology/expect_error.h"
#include "tests/topology/random_text.h"
#include "tests/topology/samples.h"

namespace ds {
namespace {

Cluster parse(const std::string& text) { return parse_topology(text, "t.json"); }
std::string refused(const std::string& text) {
  return usage_error_of([&] { parse(text); });
}

const std::string kFull = R"({"hosts": [
  {"name": "a", "slots": 2, "max_slots": 4, "slot_ids": [1, 3], "port": 22, "user": "u", "addresses": ["10.0.0.1"],
   "cores": [0, 2, 4, 6], "numa": [0, 0, 1, 1], "sockets": [0, 0, 0, 0], "gpus": ["0", "GPU-x"], "memory_bytes": 8589934592,
   "rack": "r1", "switch": "leaf1", "caches": [{"level": 3, "bytes": 1048576, "of_core": [0, 0, 1, 1]}], "gpu_numa": [0, -1],
   "gpu_switches": [2, -1], "nvlinks": [[0, 4], [4, 0]], "nics": [{"name": "mlx5_0", "numa": 1, "pci_switch": 2, "rail": 0, "gbits": 200},
   {"name": "eth0", "rdma": false}]}],
 "fabric": {"bandwidths": {"link": 300, "fabric": 2.5, "nvlink": 20, "nic": 1.25}}})";

TEST(TopologyFile, ReadsEveryKey) {
  const Host host = parse(kFull).hosts.at(0);
  const Host expected{.name = "a", .slots = 2, .max_slots = 4, .slot_ids = {1, 3}, .port = 22, .user = "u", .addresses = {"10.0.0.1"},
                      .cores = {0, 2, 4, 6}, .numa_of_core = {0, 0, 1, 1}, .socket_of_core = {0, 0, 0, 0}, .gpus = {"0", "GPU-x"},
                      .numa_of_gpu = {0, -1}, .switch_of_gpu = {2, -1}, .nvlinks = {{0, 4}, {4, 0}},
                      .caches = {{.level = 3, .bytes = 1048576, .of_core = {0, 0, 1, 1}}},
                      .nics = {{.name = "mlx5_0", .numa = 1, .pci_switch = 2, .rail = 0, .gbits = 200}, {.name = "eth0", .rdma = false}},
                      .rack = "r1", .leaf = "leaf1", .memory_bytes = 8589934592};
  EXPECT_EQ(host, expected);
  const Fabric fabric = parse(kFull).fabric;
  EXPECT_EQ(fabric.bandwidth[index_of(Distance::kLink)], 300);
  EXPECT_EQ(fabric.bandwidth[index_of(Distance::kNuma)], std::nullopt);
  EXPECT_EQ(fabric.nvlink, 20);
  EXPECT_EQ(fabric.nic, 1.25);
}

TEST(TopologyFile, DescribesAlikeHostsInAFewLines) {
  const Cluster cluster = parse(R"({"machines": {"m": {"cores": 4, "numa": 2, "gpus": 2, "gpu_numa": 2, "nvlinks": 6, "nics": {"count": 2, "numa": 2, "gbits": 100}}},
    "hosts": [{"name": "n[09-10]", "machine": "m"}, {"name": "x", "machine": "m", "cores": 8, "gpus": 0, "gpu_numa": [], "nvlinks": 0}],
    "fabric": {"rails": 2, "racks": {"r": ["n[09-10]"], "s": ["X"]}}})");
  ASSERT_EQ(cluster.hosts.size(), 3u);
  EXPECT_EQ(cluster.hosts[1].name, "n10");
  EXPECT_EQ(cluster.hosts[1].gpus, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(cluster.hosts[1].nvlinks, (std::vector<std::vector<int>>{{0, 6}, {6, 0}}));
  EXPECT_EQ(cluster.hosts[1].nics[1], (Nic{.name = "mlx5_1", .numa = 1, .rail = 1, .gbits = 100}));
  EXPECT_EQ(cluster.hosts[0].rack, "r");
  EXPECT_EQ(cluster.hosts[2].rack, "s");
  EXPECT_EQ(cluster.hosts[2].cores.size(), 8u);
  EXPECT_TRUE(cluster.hosts[2].gpus.empty());
  EXPECT_EQ(parse(topology_text(cluster)), cluster);
}

TEST(TopologyFile, SamplesReadBack) {
  for (const char* name : {"dgx.json", "pcie_box.json", "two_level.json"}) {
    const Cluster cluster = sample_cluster(name);
    EXPECT_GE(cluster.hosts.size(), 2u);
    EXPECT_EQ(parse(topology_text(cluster)), cluster) << name;
  }
}

TEST(TopologyFile, NamesEveryProblemOfDevicesAndFabric) {
  expect_words(refused(R"({"machines": {"m": {"name": "x", "cores": 3, "numa": 2}, "ok": {}},
    "hosts": [{"name": "a", "machine": "m", "gpus": 3, "gpu_numa": 2, "nvlinks": [[0]], "caches": [{"level": 0, "of_core": []}],
               "nics": [{"name": "m:1", "rail": -1, "gbits": 0, "speed": 1}, {"name": "e"}, {"name": "e"}]},
              {"name": "b", "machine": "k", "nics": {"count": 3, "numa": 2}, "cores": 1, "caches": [{"level": 2}]},
              {"name": "c[2-1]"}, {"name": "d[1-2]", "addresses": ["10.0.0.1"]},
              {"name": "e", "addresses": ["10.0.0.2", "fd00::2", "e.example"]}],
    "fabric": {"bandwidths": {"links": 3, "numa": 0}, "rails": 0, "racks": {"r": ["a", "z"], "s": ["a"]}}})"),
               {"machines.m: unknown key 'name'", "machines.m.numa", "hosts[0].gpu_numa", "hosts[0].nvlinks", "hosts[0].caches[0].level", "hosts[0].nics[0].name",
                "hosts[0].nics[0].rail", "hosts[0].nics[0].gbits", "unknown key 'speed'", "hosts[0].nics[2].name: 'e' is given twice",
                "hosts[1].machine", "must be one of machines: m, ok", "hosts[1].nics.numa", "hosts[1].caches[0].of_core", "hosts[2].name: 'c[2-1]'",
                "hosts[3].addresses", "hosts[4].addresses: 'e.example' is no numeric address", "fabric.bandwidths: unknown key 'links', did you mean 'link'", "fabric.bandwidths.numa", "fabric.rails",
                "fabric.racks.r: host 'z' is not described", "fabric.racks.s: host 'a' is in rack 'r' already"});
  expect_words(refused(R"({"hosts": [{"name": "a[1-65536]", "gpus": 256, "nvlinks": 1}]})"), {"pairs of GPUs or NICs in all"});
}

TEST(TopologyFile, ReadsBackWhatItWrites) {
  EXPECT_EQ(parse(topology_text(parse(kFull))), parse(kFull));
  const Cluster small{{{.name = "x"}, {.name = "y", .slots = 0}}};
  EXPECT_EQ(parse(topology_text(small)), small);
}

TEST(TopologyFile, HasShortFormsForRegularMachines) {
  const Host host = parse(R"({"hosts": [{"name": "a", "cores": 4, "numa": 2, "sockets": 1}]})").hosts.at(0);
  EXPECT_EQ(host.cores, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(host.numa_of_core, (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(host.socket_of_core, (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(parse(R"({"hosts": [{"name": "a", "cores": "0-1,8"}]})").hosts.at(0).cores, (std::vector<int>{0, 1, 8}));
}

TEST(TopologyFile, RefusesEndlessNestingAndMoreCoresThanMemory) {
  expect_words(refused("{\"hosts\": [{\"port\": " + std::string(1000000, '[') + std::string(1000000, ']') + "}]}"),
               {"t.json: nested deeper than 100"});
  std::string hosts;
  for (int i = 0; i < 40; ++i) hosts += (i ? ", " : "") + ("{\"name\": \"n" + std::to_string(i) + "\", \"cores\": 65535}");
  expect_words(refused("{\"hosts\": [" + hosts + "]}"), {"hosts[32]: more than 2097152 cores in all"});
  for (const char* host : {R"("cores": 65535, "threads": 65535)", R"("cores": [65535], "threads": 2)"})
    expect_words(refused(R"({"hosts": [{"name": "a", )" + std::string(host) + "}]}"), {"threads: gives CPUs above 65535"});
}

TEST(TopologyFile, NamesEveryProblem) {
  expect_words(refused(R"({"hosts": [{"name": "a", "slots": -1, "core": 2, "gpus": [1], "memory_bytes": "x"}, {"cores": 3, "numa": 2}, {"name": "A"}, 5]})"),
               {"t.json: hosts[0].slots", "-1", "unknown key 'core', did you mean 'cores'", "hosts[0].gpus", "hosts[0].memory_bytes",
                "hosts[1].name", "hosts[1].numa", "host 'A' is described twice", "hosts[3]: must be an object"});
}

TEST(TopologyFile, RefusesWhatIsNotADescription) {
  expect_words(refused("{\"hosts\": [\n{]}"), {"t.json:2:", "not JSON"});
  expect_words(refused(R"({"hosts": [{"name": "a", "slots": 4, "max_slots": 2, "cores": [0, 1, 0]}]})"),
               {"max_slots: is less than slots, 4", "cores: names a CPU twice"});
  expect_words(refused("{\"hosts\": [{\"name\": \"a\", \"slots\": 1e999}]}"), {"t.json", "too large"});
  for (const char* text : {"", "[]", "{}", "{\"hosts\": 1}", "{\"hosts\": []}", "{\"hosts\": [], \"x\": 1}"}) expect_words(refused(text), {"t.json"});
}

TEST(TopologyFile, AddsHardwareToHostsOfAHostfile) {
  const Cluster hosts{{{.name = "A", .port = 2200}, {.name = "b", .slots = 1}}};
  const Cluster described{{{.name = "b", .slots = 8, .cores = {0, 1}}, {.name = "a", .slots = 3, .gpus = {"0"}, .memory_bytes = 7}}};
  const Cluster result = with_hardware(hosts, described);
  EXPECT_EQ(result.hosts[0].slots, 3);
  EXPECT_EQ(result.hosts[0].port, 2200);
  EXPECT_EQ(result.hosts[0].memory_bytes, 7u);
  EXPECT_EQ(result.hosts[1].slots, 1);
  EXPECT_EQ(result.hosts[1].cores, (std::vector<int>{0, 1}));
  expect_words(usage_error_of([&] { with_hardware(Cluster{{{.name = "z"}, {.name = "y"}}}, described); }), {"host z", "host y"});
}

TEST(TopologyFile, WhatAHostDoesNotKnowOfItselfStays) {
  Host host{.name = "a.b", .slots = 2, .port = 9, .node = "a", .user = "u", .nics = {{.name = "mlx5_0", .rail = 3}},
            .rack = "r", .leaf = "l"};
  Host after = host;
  after.cores = {0};
  after.nics = {{.name = "mlx5_0", .rail = 3, .gbits = 100}};
  take_hardware(host, {.name = "real", .cores = {0}, .nics = {{.name = "mlx5_0", .gbits = 100}}});
  EXPECT_EQ(host, after);
}

TEST(TopologyFile, SurvivesAnyText) {
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = i % 3 ? mutated(random, kFull) : random_bytes(random, 60);
    try {
      parse(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
    }
  }
}

}  // namespace
}  // namespace ds
