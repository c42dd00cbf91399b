// What MPI offers, used by the programs of mpi_programs/, gives the same results under dslaunch as under mpirun.
#include <algorithm>

#include "tests/cluster/mpi_programs_fixture.h"

namespace ds::testing {
namespace {

using MpiProgramsOnThreeHosts = BothLaunchersTest;

TEST_F(MpiProgramsOnThreeHosts, EveryCollectiveBlockingAndNot) { expect_same_output({mpi_program("collectives")}); }

TEST_F(MpiProgramsOnThreeHosts, CollectivesAmongNeighbours) { expect_same_output({mpi_program("neighbours")}); }

TEST_F(MpiProgramsOnThreeHosts, CommunicatorsOfEveryKind) {
  const auto text = expect_same_output({mpi_program("communicators")});
  EXPECT_TRUE(has_line(text, "split by host: [2 0 1] [2 1 1] [2 0 5] [2 1 5] [2 0 9] [2 1 9]")) << text;
}

TEST_F(MpiProgramsOnThreeHosts, TheSameWithRanksDealtRoundTheHosts) {
  const auto text = expect_same_output({"--map-by", "node", mpi_program("communicators")});
  EXPECT_TRUE(has_line(text, "split by host: [2 0 3] [2 0 5] [2 0 7] [2 1 3] [2 1 5] [2 1 7]")) << text;
}

TEST_F(MpiProgramsOnThreeHosts, TheSameWithTheRanksOfABusyAxisOnOneHost) {
  const auto text = under_dslaunch({"--mesh", "dp=3,tp=2", mpi_program("communicators")});
  EXPECT_TRUE(has_line(text, "split by host: [2 0 3] [2 0 5] [2 0 7] [2 1 3] [2 1 5] [2 1 7]")) << text;
  expect_nothing_left();
}

TEST_F(MpiProgramsOnThreeHosts, NamesAndPorts) {
  const auto text = expect_same_output({mpi_program("names")});
  EXPECT_TRUE(has_line(text, "sum of the other side: [12] [12] [12] [3] [3] [3]")) << text;
}

TEST_F(MpiProgramsOnThreeHosts, FilesThatAllHostsSee) { expect_same_output({mpi_program("io"), folder("data")}); }

// Debian switches off the only component that can do this between hosts without a fast fabric; users switch it on.
TEST_F(MpiProgramsOnThreeHosts, WindowsAndMemorySharedOnAHost) {
  const auto text = expect_same_output({"--mca", "osc", "sm,pt2pt", mpi_program("one_sided")});
  EXPECT_TRUE(has_line(text, "shared on the host: [2 0 3] [2 1 3] [2 0 12] [2 1 12] [2 0 48] [2 1 48]")) << text;
}

TEST_F(MpiProgramsOnThreeHosts, SeveralThreadsOfEachRank) { expect_same_output({mpi_program("threads")}); }

TEST_F(MpiProgramsOnThreeHosts, WhatAProgramCanLearn) {
  const auto text = expect_same_output({mpi_program("info"), "one", "two words"});
  EXPECT_TRUE(has_line(text, "processor: [node1] [node1] [node2] [node2] [node3] [node3]")) << text;
  EXPECT_TRUE(has_line(text, "universe size: [6] [6] [6] [6] [6] [6]")) << text;
  EXPECT_TRUE(has_line(text, "no parent: [1] [1] [1] [1] [1] [1]")) << text;
}

// mpirun 4.1 calls both first ranks 0; that is the one thing not compared.
std::string without_first_ranks(const std::string& text) {
  auto lines = split(text, '\n');
  std::erase_if(lines, [](const auto& line) {
    return line.starts_with("info ompi_first_rank:") || line.starts_with("OMPI_FIRST_RANKS:");
  });
  return join(lines, "\n");
}

TEST_F(MpiProgramsOnThreeHosts, SeveralProgramsAreOneWorld) {
  const Words words{"-np", "2", mpi_program("info"), "a", ":", "-np", "4", mpi_program("info"), "b", "c"};
  const auto ours = under_dslaunch(words);
  EXPECT_EQ(without_first_ranks(ours), without_first_ranks(under_mpirun(words)));
  EXPECT_TRUE(has_line(ours, "application: [0] [0] [1] [1] [1] [1]")) << ours;
  EXPECT_TRUE(has_line(ours, "OMPI_FIRST_RANKS: [0 2] [0 2] [0 2] [0 2] [0 2] [0 2]")) << ours;
  expect_nothing_left();
}

TEST_F(MpiProgramsOnThreeHosts, AnAbortOnAnotherHostEndsAllWithItsCode) {
  const Words words{mpi_program("abort"), "3", "7"};
  const auto ours = run(launch(words), "", 7);
  EXPECT_EQ(last_error(ours.err).value("rank", -1), 3) << ours.err;
  EXPECT_EQ(last_error(ours.err).value("host", ""), "node2") << ours.err;
  run(mpirun(words), "", 7);
  expect_nothing_left();
}

// Not compared: mpirun would start them.
TEST_F(MpiProgramsOnThreeHosts, ARankThatWantsMoreProcessesIsToldWhyNotAndGoesOn) {
  const auto result = run(launch({mpi_program("spawn")}));
  EXPECT_EQ(result.out, "spawn refused: [1] [1] [1] [1] [1] [1]\n");
  EXPECT_TRUE(has_line(result.err, "dslaunch: rank 5 called MPI_Comm_spawn: only a job with --wireup mpirun can start further processes"))
      << result.err;
  expect_nothing_left();
}

TEST_F(MpiProgramsOnThreeHosts, AProgramThatCannotDoWithoutMoreProcessesEndsWithTheReason) {
  const auto result = run(launch({mpi_program("spawn"), "fatal"}), "", 50);  // MPI_ERR_SPAWN
  EXPECT_NE(result.err.find("called MPI_Comm_spawn"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("MPI_ERR_SPAWN"), std::string::npos) << result.err;
  expect_nothing_left();
}

TEST_F(MpiProgramsOnThreeHosts, ARankThatDiesWhileOthersMeetAtAPortEndsTheJob) {
  for (const std::string victim : {"0", "2", "5"}) {
    const auto result = run(launch({mpi_program("names"), "die", victim}), "", 5);
    EXPECT_EQ(last_error(result.err).value("rank", -1), std::stoi(victim)) << result.err;
  }
  expect_nothing_left();
}

}  // namespace
}  // namespace ds::testing
