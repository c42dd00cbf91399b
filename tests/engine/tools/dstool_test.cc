// The program itself: exit codes and where its words go.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "tests/engine/checkpoint/support.h"
#include "tests/support/places.h"

namespace ds {
namespace {

struct Finished {
  int exit_code = -1;
  std::string text;
};

Finished dstool(const std::string& arguments) {
  const std::string line = test::bin_folder() + "/dstool " + arguments;
  Finished finished;
  FILE* pipe = ::popen(line.c_str(), "r");
  std::array<char, 4096> buffer;
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) finished.text.append(buffer.data(), got);
  const int status = ::pclose(pipe);
  finished.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return finished;
}

TEST(DstoolProgram, ExitsWithZeroOneOrTwo) {
  test::ScratchFolder scratch;
  test::save_small(scratch.path(), 2, 5, 1);
  EXPECT_EQ(dstool("checkpoint verify " + scratch.path()).exit_code, 0);
  EXPECT_EQ(dstool("--help").exit_code, 0);
  test::write_text(scratch.path() + "/step5/rank0.bin", "x");
  EXPECT_EQ(dstool("checkpoint verify " + scratch.path()).exit_code, 1);
  EXPECT_EQ(dstool("checkpoint show " + scratch.path() + " 2>&1").exit_code, 1);
  EXPECT_EQ(dstool("checkpoint verify " + scratch.path() + "/none 2>&1").exit_code, 2);
  EXPECT_EQ(dstool("2>&1").exit_code, 2);
}

TEST(DstoolProgram, SaysErrorsOnStderrInOneLineThatNamesIt) {
  const auto result = dstool("checkpoint verifi x 2>&1 >/dev/null");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.text.find("dstool: "), 0u) << result.text;
  EXPECT_NE(result.text.find("nearest is 'verify'"), std::string::npos) << result.text;
}

}  // namespace
}  // namespace ds
