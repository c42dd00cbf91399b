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
#include "topology/numeric_address.h"

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
  EXPECT_EQ(survey.uuids, (Texts{"GPU-8932f937", "", "GPU-8a"}));
  EXPECT_EQ(survey.absence, "");
  EXPECT_EQ(survey.bus_ids, (Texts{"00000000:3B:00.0", "", "00000000:3C:00.0"}));
  EXPECT_EQ(survey.nvlinks, (std::vector<std::vector<int>>{{0, 0, 2}, {0, 0, 0}, {2, 0, 0}}));
}

TEST(DiscoverNvml, KnowsWhichDeviceATokenNames) {
  const Texts uuids{"GPU-8932f937", "GPU-8a"};
  EXPECT_EQ(devices_of(uuids, {"1", "GPU-89", "MIG-1"}), (std::vector<int>{1, 0, -1}));
}

TEST(DiscoverHwloc, TellsCachesThatCoresShare) {
  const Host host = cores_from_hwloc_xml(machine("pack:2 l3:1 l2:2 core:2 pu:1"));
  ASSERT_EQ(host.caches.size(), 2u);
  EXPECT_EQ(host.caches[0].level, 2);
  EXPECT_EQ(host.caches[0].of_core, (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(host.caches[1].level, 3);
  EXPECT_EQ(host.caches[1].of_core, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_TRUE(cores_from_hwloc_xml(machine("pack:2 l2:2 core:1 pu:1")).caches.empty()) << "nobody shares one";
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

class FileTree : public testing::Test {
 protected:
  FileTree() : root_(std::filesystem::path(testing::TempDir()) / ("cgroup_" + std::to_string(getpid()))) {}
  ~FileTree() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::filesystem::path root_;
};
using CgroupTree = FileTree;

// Two sockets. On the first a PCIe switch with a GPU, an InfiniBand card and its network interface; on the second an Ethernet
// card at the host bridge and an InfiniBand card whose port is down.
constexpr const char* kMachineWithCards = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
 <object type="Machine" os_index="0" cpuset="0x3" complete_cpuset="0x3" allowed_cpuset="0x3" nodeset="0x3" complete_nodeset="0x3" allowed_nodeset="0x3" gp_index="1">
  <object type="Package" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="2">
   <object type="NUMANode" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="3" local_memory="1073741824"/>
   <object type="Core" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="4">
    <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="5"/>
   </object>
   <object type="Bridge" gp_index="10" bridge_type="0-1" depth="0" bridge_pci="0000:[00-3f]">
    <object type="Bridge" gp_index="11" bridge_type="1-1" depth="1" bridge_pci="0000:[3a-3c]" pci_busid="0000:00:01.0" pci_type="0604 [8086:2030] [0000:0000] 00" pci_link_speed="15.75">
     <object type="PCIDev" gp_index="12" pci_busid="0000:3b:00.0" pci_type="0302 [10de:20b0] [10de:134f] a1" pci_link_speed="15.75"/>
     <object type="PCIDev" gp_index="13" pci_busid="0000:3c:00.0" pci_type="0207 [15b3:101b] [15b3:0007] 00" pci_link_speed="15.75">
      <object type="OSDev" gp_index="14" name="ib0" osdev_type="2"/>
      <object type="OSDev" gp_index="15" name="mlx5_0" osdev_type="3"><info name="Port1State" value="4"/></object>
     </object>
    </object>
   </object>
  </object>
  <object type="Package" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x2" complete_nodeset="0x2" gp_index="20">
   <object type="NUMANode" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x2" complete_nodeset="0x2" gp_index="21" local_memory="1073741824"/>
   <object type="Core" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x2" complete_nodeset="0x2" gp_index="22">
    <object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x2" complete_nodeset="0x2" gp_index="23"/>
   </object>
   <object type="Bridge" gp_index="30" bridge_type="0-1" depth="0" bridge_pci="0000:[80-bf]">
    <object type="PCIDev" gp_index="31" pci_busid="0000:80:02.0" pci_type="0200 [8086:1563] [8086:0001] 01" pci_link_speed="4.0">
     <object type="OSDev" gp_index="32" name="eth7" osdev_type="2"/>
    </object>
    <object type="PCIDev" gp_index="33" pci_busid="0000:80:03.0" pci_type="0207 [15b3:101b] [15b3:0007] 00" pci_link_speed="15.75">
     <object type="OSDev" gp_index="34" name="mlx5_1" osdev_type="3"><info name="Port1State" value="1"/></object>
    </object>
   </object>
  </object>
 </object>
</topology>
)";

TEST_F(FileTree, DevicesComeFromThePciTreeAndSysfs) {
  write("class/infiniband/mlx5_0/ports/1/rate", "200 Gb/sec (4X HDR)\n");
  write("class/net/eth7/operstate", "up\n");
  write("class/net/eth7/speed", "10000\n");
  const Host host = devices_from_hwloc_xml(kMachineWithCards, {"00000000:3B:00.0", "0000:99:00.0", ""}, root_);
  ASSERT_EQ(host.nics.size(), 2u) << "no interface of a card that has an RDMA device, no port that is down";
  EXPECT_EQ(host.nics[0], (Nic{.name = "mlx5_0", .numa = 0, .pci_switch = host.switch_of_gpu[0], .gbits = 200}));
  EXPECT_EQ(host.nics[1], (Nic{.name = "eth7", .rdma = false, .numa = 1, .gbits = 10}));
  EXPECT_EQ(host.numa_of_gpu, (std::vector<int>{0, -1, -1}));
  EXPECT_GE(host.switch_of_gpu[0], 0);
  EXPECT_EQ(host.switch_of_gpu[1], -1);
}

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
