#include "agent/memory_binding.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace ds {
namespace {

using Nodes = std::vector<int>;
using Mask = std::vector<unsigned long>;

TEST(MemoryBinding, FollowsPolicyAndNodes) {
  EXPECT_EQ(memory_binding(MemoryPolicy::kAnywhere, {0}).mode, 0);
  EXPECT_EQ(memory_binding(MemoryPolicy::kNear, {}).mode, 0);
  EXPECT_EQ(memory_binding(MemoryPolicy::kNear, {0, 1}).mode, 0) << "cores of two nodes have no near one";
  EXPECT_EQ(memory_binding(MemoryPolicy::kNear, {1}).mode, 1);
  EXPECT_EQ(memory_binding(MemoryPolicy::kOnly, {0, 2}).mode, 2);
  EXPECT_EQ(memory_binding(MemoryPolicy::kOnly, {0, 2}).nodes, Mask{5});
  EXPECT_EQ(memory_binding(MemoryPolicy::kOnly, {65}).nodes, (Mask{0, 2}));
}

TEST(MemoryBinding, NodesComeFromSysfs) {
  const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / ("nodes_" + std::to_string(getpid()));
  for (const char* folder : {"cpu0/node0", "cpu0/cache", "cpu5/node1", "cpu6/node1", "cpu7/nodes"})
    std::filesystem::create_directories(root / "devices/system/cpu" / folder);
  EXPECT_EQ(numa_nodes_of({0, 5, 6}, root), (Nodes{0, 1}));
  EXPECT_EQ(numa_nodes_of({6}, root), Nodes{1});
  EXPECT_EQ(numa_nodes_of({7, 9}, root), Nodes{});
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace ds
