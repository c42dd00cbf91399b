// The rules of .deepspeed_env files, those of dotenv.
#include "launcher/options/env_file.h"
#include "launcher/plan/rank_exports.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/topology/expect_error.h"
#include "tests/topology/random_text.h"
#include "topology/base/error.h"

namespace ds {
namespace {

using Lines = std::vector<std::string>;

Lines read(const std::string& text) { return parse_env_file(text, "f"); }

TEST(EnvFile, ValuesAreLiteral) {
  EXPECT_EQ(read("P=/x:$P\nQ=a=b\nEMPTY=\n"), (Lines{"P=/x:$P", "Q=a=b", "EMPTY="}));
}

TEST(EnvFile, CommentsAndEmptyLinesAreLeftOut) {
  EXPECT_EQ(read("# c\n\n  # d\nA=1 # e\nB=x#y\nC=#z\n# end"), (Lines{"A=1", "B=x#y", "C="}));
}

TEST(EnvFile, ExportAndBlanksAroundTheNameAreDropped) {
  EXPECT_EQ(read("export A=1\n B = two words \nexport\tC=x\n"), (Lines{"A=1", "B=two words", "C=x"}));
}

TEST(EnvFile, QuotesKeepBlanksAndLines) {
  EXPECT_EQ(read("A=' x # y '\nB=\"p q\\n\\\"r\\\" \\x\" # c\nC='it''s'\nD=\"one\ntwo\"\nE=5"),
            (Lines{"A= x # y ", "B=p q\n\"r\" \\x", "C=it", "D=one\ntwo", "E=5"}));
}

TEST(EnvFile, PrependIsHandedOn) {
  EXPECT_EQ(read("prepend LD_LIBRARY_PATH=/opt/lib\nexport prepend P='/a b'\n"), (Lines{"prepend LD_LIBRARY_PATH=/opt/lib", "prepend P=/a b"}));
}

TEST(EnvFile, WindowsLinesAndAMarkInFrontAreAccepted) { EXPECT_EQ(read("\xef\xbb\xbf" "A=1\r\nB='x'\r\n"), (Lines{"A=1", "B=x"})); }

TEST(EnvFile, EveryBadLineIsNamed) {
  expect_words(usage_error_of([] { read("A=1\nnonsense\n=x\n1A=2\nB=\"open\n"); }),
               {"f:2: not NAME=value: nonsense", "f:3", "f:4", "f:5: quote \" is not closed"});
}

TEST(EnvFile, AnyTextIsReadOrRefused) {
  std::mt19937 random(7);
  const Lines words{"A", "=", "'", "\"", "\\", "#", " ", "\n", "export ", "prepend ", "\r\n", "x y", "\xff"};
  for (int i = 0; i < 3000; ++i) {
    try {
      for (const std::string& line : read(i % 2 ? random_bytes(random, 40) : random_words(random, words, 12)))
        EXPECT_NE(line.find('='), std::string::npos);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
    }
  }
}

TEST(CommonExports, TakeWhatDeepSpeedsLauncherTakes) {
  const std::map<std::string, std::string> environment = {{"DS_ENV_FILE", ""}, {"HOME", "/h"}, {"MLFLOW_RUN_ID", "1"}, {"MV2_SMP", "2"},
      {"NCCL_DEBUG", "3"}, {"PYTHONPATH", "4"}, {"UCX_TLS", "5"}, {"SECRET", "6"}, {"XNCCL_A", "7"}};
  EXPECT_EQ(common_exports(environment), (Lines{"MLFLOW_RUN_ID=1", "MV2_SMP=2", "NCCL_DEBUG=3", "PYTHONPATH=4", "UCX_TLS=5"}));
}

}  // namespace
}  // namespace ds
