// MPI programs as Debian packages them, under dslaunch and under mpirun: the same verdicts, times aside.
#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

#include "tests/cluster/mpi_programs_fixture.h"

namespace ds::testing {
namespace {

namespace fs = std::filesystem;
using PackagedProgramsOnThreeHosts = BothLaunchersTest;

size_t count_of(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++count;
  return count;
}

// ---- HPC Challenge: linear equations, transposition, random access, FFT, bandwidth.

// NAME=value lines of the summary at its end.
std::map<std::string, std::string> hpcc_summary(const std::string& report) {
  std::map<std::string, std::string> values;
  const size_t begin = report.find("Begin of Summary section.");
  for (const auto& line : split(report.substr(std::min(begin, report.size())), '\n'))
    if (const size_t equals = line.find('='); equals != std::string::npos) values[line.substr(0, equals)] = line.substr(equals + 1);
  return values;
}

std::vector<std::string> names_of(const std::map<std::string, std::string>& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

TEST_F(PackagedProgramsOnThreeHosts, HpcChallenge) {
  if (!fs::exists("/usr/bin/hpcc")) GTEST_SKIP() << "hpcc is not installed (scripts/setup --tests)";
  under_dslaunch({"hpcc"}, "hpcc");
  const auto ours = read_file(work() + "/hpccoutf.txt");
  under_mpirun({"hpcc"}, "hpcc");
  const auto theirs = read_file(work() + "/hpccoutf.txt");
  EXPECT_NE(ours.find("End of HPC Challenge tests."), std::string::npos) << ours;
  EXPECT_EQ(ours.find("FAILED"), std::string::npos) << ours;
  EXPECT_GT(count_of(ours, "PASSED"), 0u);
  EXPECT_EQ(count_of(ours, "PASSED"), count_of(theirs, "PASSED"));
  auto our_values = hpcc_summary(ours), their_values = hpcc_summary(theirs);
  EXPECT_EQ(names_of(our_values), names_of(their_values));
  // Not "Success": how many random updates get lost is a matter of time, and on so small a table often too many.
  for (const std::string name : {"CommWorldProcs", "HPL_N", "HPL_RnormI", "HPL_Anorm1", "HPL_AnormI", "HPL_Xnorm1",
                                 "HPL_XnormI", "HPL_BnormI", "PTRANS_residual", "PTRANS_n", "MPIRandomAccess_N",
                                 "MPIRandomAccess_ExeUpdates", "MPIFFT_N", "MPIFFT_maxErr", "MPIFFT_Procs"}) {
    EXPECT_NE(our_values[name], "") << name;
    EXPECT_EQ(our_values[name], their_values[name]) << name;
  }
  EXPECT_EQ(our_values["CommWorldProcs"], "6");
  expect_nothing_left();
}

// ---- ScaLAPACK's test suite: BLACS, its layer for messages, and the factorisation of matrices.

std::string scalapack_folder() {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/usr/lib", none))
    if (const auto folder = entry.path() / "scalapack/openmpi-tests"; fs::exists(folder, none)) return folder.string();
  return "";
}

TEST_F(PackagedProgramsOnThreeHosts, MessagesOfScalapack) {
  const auto tests = scalapack_folder();
  if (tests.empty()) GTEST_SKIP() << "scalapack-mpi-test is not installed (scripts/setup --tests)";
  const Words words{tests + "/BLACS/xCbtest"};
  const auto ours = under_dslaunch(words, "blacs");
  EXPECT_EQ(ours, under_mpirun(words, "blacs"));
  EXPECT_NE(ours.find(" PASSED, "), std::string::npos) << ours;
  EXPECT_EQ(count_of(ours, " FAILED"), count_of(ours, "   0 FAILED")) << ours;
  expect_nothing_left();
}

TEST_F(PackagedProgramsOnThreeHosts, FactorisationOfScalapack) {
  const auto tests = scalapack_folder();
  if (tests.empty()) GTEST_SKIP() << "scalapack-mpi-test is not installed (scripts/setup --tests)";
  const auto without_times = [](const std::string& text) { return std::regex_replace(text, std::regex("[0-9]+\\.[0-9]+"), "#"); };
  const Words words{tests + "/xdlu"};
  const auto ours = under_dslaunch(words, "scalapack");
  EXPECT_EQ(without_times(ours), without_times(under_mpirun(words, "scalapack")));
  EXPECT_NE(ours.find("0 tests completed and failed residual checks"), std::string::npos) << ours;
  EXPECT_EQ(ours.find("FAILED"), std::string::npos) << ours;
  expect_nothing_left();
}

// ---- mpi4py: Python is not linked to MPI, it loads the library while it runs.

TEST_F(PackagedProgramsOnThreeHosts, PythonWithMpi4py) {
  if (!fs::exists("/usr/lib/python3/dist-packages/mpi4py"))
    GTEST_SKIP() << "python3-mpi4py is not installed (scripts/setup --tests)";
  const Words words{"/usr/bin/python3", "-m", "mpi4py.futures", "squares.py"};
  const auto ours = under_dslaunch(words, "mpi4py");
  EXPECT_EQ(ours, under_mpirun(words, "mpi4py"));
  EXPECT_EQ(ours, "[0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225, 256, 289, 324, 361]\n");
  expect_nothing_left();
}

}  // namespace
}  // namespace ds::testing
