// The driver notices each kind of bug and keeps the input; a target without bugs passes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/driver/mutation.h"
#include "topology/base/text.h"

namespace ds::fuzz {
namespace {

namespace fs = std::filesystem;

class Driver : public testing::Test {
 protected:
  Driver() {
    std::string name = (fs::temp_directory_path() / "dslaunch-fuzz-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = name;
  }
  ~Driver() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return name;
  }

  // Exit status of the broken parser with these arguments; what it prints is in `output`.
  int run(const std::string& arguments) const {
    const char* bin = std::getenv("DSLAUNCH_BIN");
    const std::string program = std::string(bin ? bin : "bin") + "/broken_parser_fuzz ";
    const std::string command = "cd " + folder_.string() + " && " + program + arguments + " > output 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::string output() const { return read_file((folder_ / "output").string()); }

  std::vector<std::string> failures() const {
    std::vector<std::string> inputs;
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.path().extension() == ".failure") inputs.push_back(read_file(entry.path()));
    return inputs;
  }

  fs::path folder_;
};

class DriverNotices : public Driver, public testing::WithParamInterface<const char*> {};

TEST_P(DriverNotices, AndKeepsTheInput) {
  EXPECT_NE(run("--deadline 1 " + write("input", GetParam())), 0);
  EXPECT_EQ(failures(), std::vector<std::string>{GetParam()}) << output();
  EXPECT_NE(output().find("the input is in broken_parser_fuzz-"), std::string::npos) << output();
}

INSTANTIATE_TEST_SUITE_P(EveryKind, DriverNotices,
                         testing::Values("overflow", "undefined", "exception", "promise", "nesting", "memory", "hang"),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(Driver, ReplaysAFileThatIsFine) {
  EXPECT_EQ(run(write("input", "fine")), 0) << output();
  EXPECT_TRUE(failures().empty());
}

TEST_F(Driver, ChangesTheFilesOfACorpusForAsLongAsItIsTold) {
  write("corpus/a", "fine");
  EXPECT_EQ(run("--seconds 1 --seed 3 corpus"), 0) << output();
  EXPECT_NE(output().find("--seed 3"), std::string::npos) << output();
  EXPECT_NE(output().find("changed inputs"), std::string::npos) << output();
}

TEST_F(Driver, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(run("--sedonds 1 corpus"), 2);
  EXPECT_EQ(run("--seconds"), 2);
  EXPECT_EQ(run(""), 2);
  EXPECT_EQ(run("missing"), 2);
}

TEST(Mutation, GivesTheSameTextsForTheSameSeedAndNoLongOnes) {
  const Corpus corpus{"[1-3],a=22", "", std::string(kMostBytes, 'x')};
  Random one(7), two(7);
  size_t changed = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = mutated(one, corpus);
    EXPECT_EQ(text, mutated(two, corpus));
    EXPECT_LE(text.size(), kMostBytes);
    changed += std::find(corpus.begin(), corpus.end(), text) == corpus.end();
  }
  EXPECT_GT(changed, 1500u);
}

}  // namespace
}  // namespace ds::fuzz
