#include "topology/topology_file.h"

#include <gtest/gtest.h>

#include "tests/topology/expect_error.h"
#include "tests/topology/random_text.h"

namespace ds {
namespace {

Cluster parse(const std::string& text) { return parse_topology(text, "t.json"); }
std::string refused(const std::string& text) {
  return usage_error_of([&] { parse(text); });
}

const std::string kFull = R"({"hosts": [
  {"name": "a", "slots": 2, "max_slots": 4, "slot_ids": [1, 3], "port": 22, "user": "u", "addresses": ["10.0.0.1"],
   "cores": [0, 2, 4, 6], "numa": [0, 0, 1, 1], "sockets": [0, 0, 0, 0], "gpus": ["0", "GPU-x"], "memory_bytes": 8589934592}
]})";

TEST(TopologyFile, ReadsEveryKey) {
  const Host host = parse(kFull).hosts.at(0);
  const Host expected{.name = "a", .slots = 2, .max_slots = 4, .slot_ids = {1, 3}, .port = 22, .user = "u", .addresses = {"10.0.0.1"},
                      .cores = {0, 2, 4, 6}, .numa_of_core = {0, 0, 1, 1}, .socket_of_core = {0, 0, 0, 0}, .gpus = {"0", "GPU-x"},
                      .memory_bytes = 8589934592};
  EXPECT_EQ(host, expected);
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
  expect_words(usage_error_of([&] { with_hardware({{{.name = "z"}, {.name = "y"}}}, described); }), {"host z", "host y"});
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
