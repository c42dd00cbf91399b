#include <gtest/gtest.h>
#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "topology/base/error.h"
#include "topology/cgroup_limits.h"
#include "topology/discover_hwloc.h"
#include "topology/discover_nvml.h"
#include "topology/host_addresses.h"

namespace ds {
namespace {

using Texts = std::vector<std::string>;

// hwloc's XML of a made-up machine.
std::string machine(const char* description) {
  hwloc_topology_t topology = nullptr;
  EXPECT_EQ(hwloc_topology_init(&topology), 0);
  EXPECT_EQ(hwloc_topology_set_synthetic(topology, description), 0);
  EXPECT_EQ(hwloc_topology_load(topology), 0);
  char* xml = nullptr;
  int length = 0;
  EXPECT_EQ(hwloc_topology_export_xmlbuffer(topology, &xml, &length, 0), 0);
  const std::string text(xml);
  hwloc_free_xmlbuffer(topology, xml);
  hwloc_topology_destroy(topology);
  return text;
}

TEST(DiscoverHwloc, TakesOneLogicalCpuOfEachCore) {
  const Host host = cores_from_hwloc_xml(machine("pack:2 numa:2 core:2 pu:2"));
  EXPECT_EQ(host.cores, (std::vector<int>{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(host.numa_of_core, (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(host.socket_of_core, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(DiscoverHwloc, TakesCpusForCoresWhenThereAreNoCores) {
  EXPECT_EQ(cores_from_hwloc_xml(machine("numa:1 pu:3")).cores, (std::vector<int>{0, 1, 2}));
}

TEST(DiscoverHwloc, RefusesDamagedXml) {
  EXPECT_THROW(cores_from_hwloc_xml("<topology"), Error);
  EXPECT_THROW(cores_from_hwloc_xml(""), Error);
}

TEST(DiscoverHwloc, DescribesThisMachine) {
  const Host host = discover_host();
  EXPECT_FALSE(host.name.empty());
  EXPECT_FALSE(host.cores.empty());
  EXPECT_LE(host.cores.size(), std::max(1u, std::thread::hardware_concurrency()));
  EXPECT_EQ(host.numa_of_core.size(), host.cores.size());
  EXPECT_EQ(host.socket_of_core.size(), host.cores.size());
  EXPECT_GT(host.memory_bytes, 1u << 20);
  EXPECT_FALSE(host.slots.has_value());
  for (const std::string& address : host.addresses) EXPECT_FALSE(address.starts_with("127.") || address == "::1" || address.starts_with("fe80")) << address;
}

TEST(DiscoverHwloc, KeepsToTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int last = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &before)) last = cpu;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const Host host = discover_host();
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(host.cores, std::vector<int>{last});
}

TEST(DiscoverNvml, SaysWhyThereAreNoGpus) {
  const GpuSurvey missing = survey_gpus("libno-such-driver.so.1");
  EXPECT_TRUE(missing.uuids.empty());
  EXPECT_EQ(missing.absence, "no libno-such-driver.so.1");
  EXPECT_NE(survey_gpus("libm.so.6").absence.find("too old"), std::string::npos);
}

TEST(DiscoverNvml, AsksTheDriver) {
  const GpuSurvey survey = survey_gpus(FAKE_NVML);
  EXPECT_EQ(survey.uuids, (Texts{"GPU-8932f937", ""}));
  EXPECT_EQ(survey.absence, "");
}

TEST(VisibleGpus, AreAllWithoutTheVariable) { EXPECT_EQ(visible_gpus({"GPU-a", "GPU-b"}, std::nullopt), (Texts{"0", "1"})); }

TEST(VisibleGpus, KeepTheTokensOfTheVariable) {
  const Texts uuids{"GPU-8932f937", "GPU-8a", "GPU-9"};
  EXPECT_EQ(visible_gpus(uuids, "2,0"), (Texts{"2", "0"}));
  EXPECT_EQ(visible_gpus(uuids, "GPU-8932f937, GPU-9"), (Texts{"GPU-8932f937", "GPU-9"}));
  EXPECT_EQ(visible_gpus(uuids, "GPU-89"), (Texts{"GPU-89"}));
  EXPECT_EQ(visible_gpus(uuids, "MIG-1/2/3"), (Texts{"MIG-1/2/3"}));
}

TEST(VisibleGpus, EndAtTheFirstEntryThatNamesNoDevice) {
  const Texts uuids{"GPU-8932f937", "GPU-8a"};
  EXPECT_EQ(visible_gpus(uuids, "1,-1,0"), (Texts{"1"}));
  EXPECT_EQ(visible_gpus(uuids, "0,2,1"), (Texts{"0"}));
  EXPECT_EQ(visible_gpus(uuids, "GPU-8"), Texts{});  // two devices begin like that
  EXPECT_EQ(visible_gpus(uuids, ""), Texts{});
  EXPECT_EQ(visible_gpus(uuids, "NoDevFiles"), Texts{});
  EXPECT_EQ(visible_gpus({}, "0"), Texts{});
}

TEST(HostAddresses, KnowsBridgesThatOnlyThisHostUses) {
  for (const char* name : {"docker0", "virbr0", "br-0a1b2c", "lxcbr0", "podman1"}) EXPECT_TRUE(is_local_bridge(name)) << name;
  for (const char* name : {"eth0", "ib0", "bond0", "br0", "veth1", "lab0"}) EXPECT_FALSE(is_local_bridge(name)) << name;
}

TEST(CgroupLimits, ReadTheirFiles) {
  EXPECT_EQ(memory_limit("1073741824\n"), 1073741824u);
  for (const char* text : {"max", "", "0", "-1", "9223372036854771712", "x"}) EXPECT_EQ(memory_limit(text), std::nullopt) << text;
  EXPECT_EQ(cpu_limit("200000 100000"), 2);
  EXPECT_EQ(cpu_limit("150000 100000\n"), 2);
  EXPECT_EQ(cpu_limit("1 100000"), 1);
  for (const char* text : {"max 100000", "-1 100000", "", "1", "1 0", "x y", "1 2 3"}) EXPECT_EQ(cpu_limit(text), std::nullopt) << text;
}

class CgroupTree : public testing::Test {
 protected:
  CgroupTree() : root_(std::filesystem::path(testing::TempDir()) / ("cgroup_" + std::to_string(getpid()))) {}
  ~CgroupTree() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::filesystem::path root_;
};

TEST_F(CgroupTree, TheTightestGroupOnTheWayUpCounts) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/memory.max", "4000000\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  write("sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  write("sys/fs/cgroup/a/b/cpu.max", "400000 100000\n");
  const CgroupLimits limits = cgroup_limits(root_);
  EXPECT_EQ(limits.memory_bytes, 4000000u);
  EXPECT_EQ(limits.cpus, 3);
}

TEST_F(CgroupTree, TheFirstVersionIsUnderstoodToo) {
  write("proc/self/cgroup", "4:memory:/j\n3:cpu,cpuacct:/j\n1:name=systemd:/\n");
  write("sys/fs/cgroup/memory/j/memory.limit_in_bytes", "5000000\n");
  write("sys/fs/cgroup/cpu,cpuacct/j/cpu.cfs_quota_us", "100000\n");
  write("sys/fs/cgroup/cpu,cpuacct/j/cpu.cfs_period_us", "100000\n");
  const CgroupLimits limits = cgroup_limits(root_);
  EXPECT_EQ(limits.memory_bytes, 5000000u);
  EXPECT_EQ(limits.cpus, 1);
}

TEST_F(CgroupTree, NoFilesMeanNoLimits) {
  EXPECT_EQ(cgroup_limits(root_).memory_bytes, std::nullopt);
  EXPECT_EQ(cgroup_limits(root_).cpus, std::nullopt);
}

TEST(HostAddresses, NetworksMatchByBits) {
  EXPECT_TRUE(in_network("10.1.2.3", "10.0.0.0/8"));
  EXPECT_FALSE(in_network("11.1.2.3", "10.0.0.0/8"));
  EXPECT_TRUE(in_network("fd00::1", "fd00::/16"));
  EXPECT_FALSE(in_network("10.1.2.3", "fd00::/16"));
  EXPECT_FALSE(in_network("10.1.2.3", "nonsense"));
}

}  // namespace
}  // namespace ds
