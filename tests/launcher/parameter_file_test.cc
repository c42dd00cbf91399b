// Files of parameters that --tune and --am name.
#include "launcher/options/parameter_file.h"

#include <gtest/gtest.h>

#include <random>

#include "launcher/options/options.h"
#include "tests/launcher/temporary_folder.h"
#include "tests/topology/expect_error.h"
#include "tests/topology/random_text.h"

namespace ds {
namespace {

using Words = std::vector<std::string>;

TEST(ParameterFile, LinesOfATuneFileAreWordsAsInAShell) {
  EXPECT_EQ(tune_file_words("# both\n-x FOO=bar -mca btl self\r\n\n  --x \"V=one # two\"\n--mca pml 'a b'", "f"),
            (Words{"-x", "FOO=bar", "-mca", "btl", "self", "--x", "V=one # two", "--mca", "pml", "a b"}));
  EXPECT_EQ(tune_file_words("", "f"), Words{});
}

TEST(ParameterFile, LinesOfAnAmFileAreKeysAndValues) {
  EXPECT_EQ(am_file_words("# both\nbtl = tcp,self\r\n\n  pml=ob1\nempty =\nargs = a=b c", "f"),
            (Words{"--mca", "btl", "tcp,self", "--mca", "pml", "ob1", "--mca", "empty", "", "--mca", "args", "a=b c"}));
}

TEST(ParameterFile, BadLinesAreNamed) {
  const auto tune = [](const std::string& text) { return usage_error_of([&] { tune_file_words(text, "tune"); }); };
  expect_words(tune("-x A=1\n-x\n# fine\n-mca a\nfoo\n-np 2"),
               {"tune:2: -x needs a value", "tune:4: -mca needs a key and a value",
                "tune:5: must be -x NAME=value or -mca key value, is foo", "tune:6: ", "-np"});
  expect_words(tune("\n-x 'A=1\n"), {"tune:2: quote ' is not closed"});
  const std::string am = usage_error_of([] { am_file_words("btl = tcp\nbtl tcp\n = self\n", "am"); });
  expect_words(am, {"am:2: must be key = value, is btl tcp", "am:3: must be key = value, is = self"});
}

TEST(ParameterFile, TheCommandLineWins) {
  testing::TemporaryFolder folder;
  const std::string tune = folder.write("tune", "-x A=file -x B=file -mca btl self\n");
  const std::string am = folder.write("am", "pml = cm\nbtl = vader\n");
  const Options options = parse_options({"--tune", tune, "--am", am, "-x", "A=here", "--mca", "pml", "ob1", "true"});
  EXPECT_EQ(options.exports, (Words{"B=file", "A=here"}));
  EXPECT_EQ(options.mca, (std::vector<std::pair<std::string, std::string>>{{"btl", "vader"}, {"pml", "ob1"}}));
  const std::string none = folder.path + "/none";
  expect_words(usage_error_of([&] { parse_options({"--tune", none, "true"}); }), {none, "No such file"});
}

TEST(ParameterFile, AnyTextIsReadOrRefused) {
  std::mt19937 random(17);
  const Words words{"-x", " ", "-mca", "\n", "'", "\"", "\\", "#", "=", "A=b c", "key", "\r", "\xff"};
  const auto read = [](const auto& parse, const std::string& text) {
    try {
      EXPECT_LE(parse(text, "f").size(), 3 * text.size());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      EXPECT_NE(std::string(error.what()).find("f:"), std::string::npos) << error.what();
    }
  };
  for (int i = 0; i < 3000; ++i) {
    const std::string text = i % 2 ? random_bytes(random, 40) : random_words(random, words, 14);
    read(tune_file_words, text);
    read(am_file_words, text);
  }
}

}  // namespace
}  // namespace ds
