#include "cuda/loader.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>

#include "tests/support/fake_cuda.h"

namespace ds {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CudaLoader, ABuildWithoutTheModuleSaysSo) {
  const CudaSupport cuda = find_cuda({"/nowhere/libdslaunch_cuda.so"});
  EXPECT_FALSE(cuda.usable());
  EXPECT_EQ(cuda.module, nullptr);
  EXPECT_EQ(cuda.absence, "built without CUDA: no libdslaunch_cuda.so");
  EXPECT_EQ(cuda.nccl_absence(), cuda.absence);
}

TEST(CudaLoader, AFileThatIsNoModuleIsNamed) {
  EXPECT_TRUE(contains(find_cuda({"/etc/passwd"}).absence, "cannot open the CUDA module: /etc/passwd"));
}

TEST(CudaLoader, ALibraryOfSomebodyElseIsRefused) {
  const CudaSupport cuda = find_cuda({"/lib/x86_64-linux-gnu/libz.so.1", "/lib/aarch64-linux-gnu/libz.so.1"});
  if (contains(cuda.absence, "built without")) GTEST_SKIP() << "no libz here";
  EXPECT_TRUE(contains(cuda.absence, "exports no dslaunch_cuda_module")) << cuda.absence;
}

TEST(CudaLoader, AModuleOfAnotherVersionIsRefused) {
  const CudaSupport cuda = find_cuda({STALE_MODULE});
  EXPECT_EQ(cuda.module, nullptr);
  EXPECT_TRUE(contains(cuda.absence, "is version 2 of the module, this program needs 1")) << cuda.absence;
}

TEST(CudaLoader, TheVariableNamesTheModule) {
  ASSERT_EQ(setenv("DSLAUNCH_CUDA_MODULE", "/some/where.so", 1), 0);
  EXPECT_EQ(cuda_module_places(), std::vector<std::string>{"/some/where.so"});
  ASSERT_EQ(unsetenv("DSLAUNCH_CUDA_MODULE"), 0);
  ASSERT_EQ(cuda_module_places().size(), 2u);
  EXPECT_TRUE(cuda_module_places()[0].ends_with("/lib/libdslaunch_cuda.so"));
}

TEST(CudaTable, EveryHoleIsFound) {
  EXPECT_EQ(table_problem(&fake_cuda::table()), "");
  constexpr size_t kFirst = offsetof(DsCudaModule, cuda_error);
  for (size_t at = kFirst; at < sizeof(DsCudaModule); at += sizeof(void*)) {
    DsCudaModule table = fake_cuda::table();
    std::memset(reinterpret_cast<char*>(&table) + at, 0, sizeof(void*));
    EXPECT_EQ(table_problem(&table), "lacks function " + std::to_string((at - kFirst) / sizeof(void*)) + " of the table");
  }
  DsCudaModule table = fake_cuda::table();
  table.bytes -= 8;
  EXPECT_TRUE(contains(table_problem(&table), "has a table of"));
}

// Compiled and linked wherever nvcc is; here it is opened, with or without a GPU.
TEST(CudaModule, OpensIsCompleteAndSaysWhyItHasNoDevice) {
  if (std::string(REAL_MODULE).empty()) GTEST_SKIP() << "skipped: built without CUDA";
  const CudaSupport cuda = find_cuda({REAL_MODULE});
  ASSERT_NE(cuda.module, nullptr) << cuda.absence;
  EXPECT_EQ(table_problem(cuda.module->table), "");
  EXPECT_GE(cuda.module->table->runtime_version, 11000);
  if (cuda.usable()) {
    EXPECT_GT(cuda.num_devices, 0);
  } else {
    EXPECT_EQ(cuda.num_devices, 0);
    EXPECT_TRUE(contains(cuda.absence, "no CUDA device")) << cuda.absence;
  }
  if (cuda.module->table->nccl_version == 0) {
    EXPECT_TRUE(contains(cuda.nccl_absence(), "built without NCCL")) << cuda.nccl_absence();
  } else if (cuda.nccl_absence().empty()) {
    int version = 0;
    EXPECT_EQ(cuda.module->table->nccl_runtime_version(&version), 0);
    EXPECT_GE(version, 21801);
  }
}

}  // namespace
}  // namespace ds
