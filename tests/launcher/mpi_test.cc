// MPI programs started by dslaunch on this machine.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/launcher/dslaunch_run.h"
#include "tests/launcher/temporary_folder.h"
#include "tests/support/places.h"

namespace ds::testing {
namespace {

RunResult mpi(int ranks, std::vector<std::string> words, std::vector<std::string> options = {}, const RunOptions& run = {}) {
  std::vector<std::string> all = {"--oversubscribe", "-np", std::to_string(ranks)};
  all.insert(all.end(), options.begin(), options.end());
  all.push_back(test::bin_folder() + "/launcher_mpi_program");
  all.insert(all.end(), words.begin(), words.end());
  return run_dslaunch(all, run);
}

TEST(MpiPrograms, RanksFindEachOther) {
  for (int ranks : {1, 2, 4}) {
    RunResult result = mpi(ranks, {"sum"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("0 of " + std::to_string(ranks) + " sums to " + std::to_string(ranks)), std::string::npos);
  }
}

// Their ends and the words of their MPI_Finalize reach the rank server all at once.
TEST(MpiPrograms, ManyRanksThatEndTogetherHaveAllFinalized) {
  for (int time = 0; time < 20; ++time) {
    const RunResult result = mpi(32, {"sum"});
    ASSERT_EQ(result.code, 0) << result.err;
  }
}

TEST(MpiPrograms, AbortGivesItsCodeModulo256) {
  EXPECT_EQ(mpi(2, {"abort", "5"}).code, 5);
  RunResult result = mpi(2, {"abort", "300"});
  EXPECT_EQ(result.code, 44);
  EXPECT_EQ(nlohmann::json::parse(result.last_line())["rank"], 1) << result.err;
  for (const char* words : {"rank 1 on ", " called MPI_Abort with error code 300"})
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
}

TEST(MpiPrograms, RanksThatExitAtOnceGiveTheirCode) {
  for (int time = 0; time < 10; ++time) {
    RunResult result = mpi(2, {"exit"});
    ASSERT_EQ(result.code, 3) << result.err;
    ASSERT_NE(result.err.find("exited with code 3"), std::string::npos) << result.err;
  }
}

TEST(MpiPrograms, EndingWithoutFinalizeIsOne) {
  RunResult result = mpi(2, {"no-finalize"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("exiting improperly"), std::string::npos) << result.err;
}

TEST(MpiPrograms, RanksThatWouldBeWorldsOfOneAreAnError) {
  RunResult result = mpi(2, {"no-init"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("did not wire up"), std::string::npos) << result.err;
  EXPECT_EQ(mpi(1, {"no-init"}).code, 0);
  EXPECT_EQ(mpi(2, {"no-init"}, {"--wireup", "none"}).code, 0);
}

TEST(MpiPrograms, ALongFolderForTemporaryFilesIsNoTrouble) {
  TemporaryFolder folder;
  const std::string deep = folder.path + "/" + std::string(120, 'x');  // longer than the name of a socket may be
  std::filesystem::create_directory(deep);
  for (const std::string wireup : {"pmix", "mpirun"}) {
    if (wireup == "mpirun" && std::system("mpirun --version >/dev/null 2>&1") != 0) continue;
    RunResult result = mpi(2, {"sum"}, {"-x", "TMPDIR", "--wireup", wireup}, {"", {{"TMPDIR", deep}}, "/tmp"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(std::filesystem::is_empty(deep)) << wireup << " leaves something there";
  }
}

TEST(MpiPrograms, ParametersReachOpenMpi) {
  RunResult result = run_dslaunch({"-np", "1", "--mca", "btl_base_verbose", "7", "sh", "-c", "echo $OMPI_MCA_btl_base_verbose"});
  EXPECT_EQ(result.out, "7\n") << result.err;
}

}  // namespace
}  // namespace ds::testing
