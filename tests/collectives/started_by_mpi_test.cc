#include <gtest/gtest.h>

#include <cstdlib>

#include "collectives/mpi_world.h"

namespace ds {
namespace {

class StartedByMpi : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"PMIX_RANK", "PMIX_NAMESPACE", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "SLURM_STEP_ID"})
      unsetenv(name);
  }
  void TearDown() override { SetUp(); }
};

TEST_F(StartedByMpi, APlainProcessIsNot) { EXPECT_FALSE(started_by_mpi()); }

TEST_F(StartedByMpi, ARankOfEachKindOfStarterIs) {
  for (const char* name : {"PMIX_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK"}) {
    setenv(name, "1", 1);
    EXPECT_TRUE(started_by_mpi()) << name;
    unsetenv(name);
  }
}

TEST_F(StartedByMpi, ASlurmStepIsOnlyWithPmix) {
  setenv("SLURM_STEP_ID", "0", 1);
  EXPECT_FALSE(started_by_mpi());
  setenv("PMIX_NAMESPACE", "slurm.1.0", 1);
  EXPECT_TRUE(started_by_mpi());
}

}  // namespace
}  // namespace ds
