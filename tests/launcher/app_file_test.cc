// Programs from a file: lines as a shell reads them, and problems that tell file and line.
#include "launcher/options/app_file.h"

#include <gtest/gtest.h>

#include <random>

#include "launcher/options/options.h"
#include "tests/launcher/temporary_folder.h"
#include "tests/topology/expect_error.h"
#include "tests/topology/random_text.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using testing::TemporaryFolder;
using Words = std::vector<std::string>;

TEST(AppFile, IsReadAsAShellWould) {
  const std::vector<AppLine> lines = app_lines("# both\n-np 1 echo 'a b'\n\n-np 2 echo \"c \\\"d\"\n", "f");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].words, (Words{"-np", "1", "echo", "a b"}));
  EXPECT_EQ(lines[1].words, (Words{"-np", "2", "echo", "c \"d"}));
  EXPECT_EQ(lines[1].where, "f:4");
  expect_words(usage_error_of([] { app_lines("\necho 'a\n", "f"); }), {"f:2", "not closed"});
}

TEST(AppFile, AnyTextIsReadOrRefused) {
  std::mt19937 random(11);
  const Words words{"-np", " ", "1", "\n", "'", "\"", "\\", "#", "-x", "A=b c", ":", "echo", "\r", "\xff"};
  for (int i = 0; i < 3000; ++i) {
    const std::string text = i % 2 ? random_bytes(random, 40) : random_words(random, words, 14);
    try {
      EXPECT_LE(app_lines(text, "f").size(), text.size() + 1);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
    }
  }
}

class AppFileJobs : public ::testing::Test {
 protected:
  Options parse(const std::string& text, Words before = {}, const Words& behind = {}) {
    before.insert(before.end(), {"--app", folder.write("app", text)});
    before.insert(before.end(), behind.begin(), behind.end());
    return parse_options(before);
  }
  std::string refused(const std::string& text, const Words& before = {}, const Words& behind = {}) {
    return usage_error_of([&] { parse(text, before, behind); });
  }
  std::string line(int number) const { return folder.path + "/app:" + std::to_string(number) + ": "; }
  TemporaryFolder folder;
};

TEST_F(AppFileJobs, ALineIsAProgramWithItsOptions) {
  const Options options = parse("-np 1 -x A=1 a\n-np 2 -wdir /tmp b : c\n", {"--tag-output"});
  ASSERT_EQ(options.programs.size(), 2u);
  EXPECT_TRUE(options.tag_output);
  EXPECT_EQ(options.programs[0].exports, Words{"A=1"});
  EXPECT_EQ(options.programs[1].np, 2);
  EXPECT_EQ(options.programs[1].wdir, "/tmp");
  EXPECT_EQ(options.programs[1].argv, (Words{"b", ":", "c"})) << "a line is one program, as with mpirun";
}

TEST_F(AppFileJobs, TheCommandLineHasNoProgramOfItsOwn) {
  expect_words(refused("a\n", {}, {"hostname"}), {"option --app", "leave out", "hostname"});
  expect_words(refused("a\n", {}, {"train.cfg"}), {"option --app", "train.cfg"});
}

TEST_F(AppFileJobs, AFileWithoutProgramsIsNone) {
  for (const char* text : {"", "\n# nothing\n"}) {
    expect_words(refused(text), {"option --app=" + folder.path + "/app", "programs, one a line"});
    expect_words(refused(text, {}, {"hostname"}), {"option --app=" + folder.path + "/app"});
  }
}

TEST_F(AppFileJobs, ProblemsTellFileAndLineAndOnlyThose) {
  const std::string text = refused("-np 1 a\n-np x b\n--zap c\n\n-np 1\n-np 1 --nolocal d\n-np 1 --tune t e\n");
  expect_words(text, {line(2) + "option -np=x: must be", line(3) + "unknown option --zap",
                      line(3) + "each program of several needs -np", line(5) + "no program in this line",
                      line(6) + "option --nolocal holds for the whole job: give it on the command line",
                      line(7) + "option --tune: give it on the command line"});
  EXPECT_EQ(text.find("\":\""), std::string::npos) << text;
  EXPECT_EQ(refused("-np 1 a\n", {"--timeout", "x"}).find("/app:"), std::string::npos);
}

}  // namespace
}  // namespace ds
