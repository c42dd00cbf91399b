#include <gtest/gtest.h>

#include "hostfiles/slurm_gpus.h"

namespace ds {
namespace {

using Counts = std::map<std::string, int>;

TEST(SlurmGpus, AreToldNodeByNode) {
  EXPECT_EQ(gpus_by_node("   JOB_GRES=gpu:7\n"
                         "     Nodes=n[1-2] CPU_IDs=0 Mem=0 GRES=gpu:3(IDX:0-2)\n"
                         "     Nodes=n3 CPU_IDs=0 Mem=0 GRES=gpu:1(IDX:0)\n   TresPerJob=gres:gpu:7\n"),
            (Counts{{"n1", 3}, {"n2", 3}, {"n3", 1}}));
  EXPECT_EQ(gpus_by_node("Nodes=a CPU_IDs=0-1,4 Mem=0 GRES=gpu:a100:2(IDX:0,2),mps:100,gpu:h100:1(IDX:4)"), (Counts{{"a", 3}}));
  EXPECT_EQ(gpus_by_node("Nodes=a CPU_IDs=0 Mem=0 GRES=\n"), (Counts{{"a", 0}}));
}

TEST(SlurmGpus, AreUnknownWhereNothingIsTold) {
  for (const char* text : {"", "slurm_load_jobs error: Invalid job id specified", "NumNodes=2 Nodes=", "JOB_GRES=gpu:3",
                           "Nodes=n[1- GRES=gpu:2", "Nodes=a GRES=gpu:-1", "Nodes=a GRES=gpu:9223372036854775807,gpu:1",
                           "Nodes=a GRES=gpu:many"})
    EXPECT_EQ(gpus_by_node(text), Counts{}) << text;
}

TEST(SlurmGpus, MayDifferUnlessAskedForByNode) {
  EXPECT_FALSE(gpus_may_differ({}));
  EXPECT_FALSE(gpus_may_differ({{"SLURM_GPUS_ON_NODE", "2"}, {"SLURM_GPUS_PER_NODE", "2"}, {"SLURM_GPUS", "4"}}));
  for (const char* name : {"SLURM_GPUS", "SLURM_GPUS_PER_TASK", "SLURM_GPUS_PER_SOCKET"})
    EXPECT_TRUE(gpus_may_differ({{name, "3"}})) << name;
}

}  // namespace
}  // namespace ds
