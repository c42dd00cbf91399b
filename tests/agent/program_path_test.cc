// Programs as a shell and mpirun find them, and the libraries they name.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "agent/elf_needed.h"
#include "agent/program_path.h"
#include "topology/base/text.h"

namespace ds {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    char name[] = "/tmp/program-path-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  std::string file(const std::string& name, const std::string& content, mode_t mode = 0644) const {
    const std::string path = path_ + "/" + name;
    std::ofstream(path) << content;
    chmod(path.c_str(), mode);
    return path;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(FindProgram, GivesTheVerdictsOfAShell) {
  const TemporaryFolder folder;
  folder.file("run", "#!/bin/sh\n", 0755);
  folder.file("plain", "x", 0644);
  const std::string& at = folder.path();
  EXPECT_EQ(find_program("run", "/", "/none:" + at).path, at + "/run");
  EXPECT_EQ(find_program("./run", at, "").path, at + "/./run");
  EXPECT_EQ(find_program("./gone", at, "").exit_code, 127);
  EXPECT_EQ(find_program("./plain/x", at, "").exit_code, 127);
  EXPECT_EQ(find_program("./plain", at, "").exit_code, 126);
  EXPECT_EQ(find_program(at, "/", "").exit_code, 126) << "a folder";
  const auto nowhere = find_program("no-such-program", "/", "/bin");
  EXPECT_EQ(nowhere.exit_code, 127);
  EXPECT_EQ(nowhere.problem, "no-such-program: not found in PATH=/bin, nor in /");
}

TEST(FindProgram, LooksInTheWorkingFolderWhenPathHasNone) {
  const TemporaryFolder here, elsewhere;
  here.file("run", "#!/bin/sh\n", 0755);
  here.file("data", "x", 0644);
  EXPECT_EQ(find_program("run", here.path(), "/bin").path, here.path() + "/run");
  EXPECT_EQ(find_program("data", here.path(), "/bin").exit_code, 127);
  elsewhere.file("run", "#!/bin/sh\n", 0755);
  EXPECT_EQ(find_program("run", here.path(), elsewhere.path()).path, elsewhere.path() + "/run") << "PATH comes first";
}

TEST(ElfNeeded, FindsTheLibrariesOfThisTest) {
  const auto libraries = needed_libraries("/proc/self/exe");
  EXPECT_NE(std::find(libraries.begin(), libraries.end(), "libc.so.6"), libraries.end());
  EXPECT_FALSE(links_mpi("/proc/self/exe"));
}

TEST(ElfNeeded, DamagedFilesGiveNothingAndNeverCrash) {
  const TemporaryFolder folder;
  std::ifstream self("/bin/true", std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(self)), std::istreambuf_iterator<char>());
  EXPECT_FALSE(needed_libraries(folder.file("good", good)).empty());
  EXPECT_TRUE(needed_libraries(folder.file("script", "#!/bin/sh\n")).empty());
  EXPECT_TRUE(needed_libraries(folder.file("empty", "")).empty());
  EXPECT_TRUE(needed_libraries(folder.path()).empty());
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::string bad = good.substr(0, round % 2 ? good.size() : random() % good.size());
    for (int i = 0; i < 20 && !bad.empty(); ++i)
      bad[random() % std::min<size_t>(bad.size(), 2000)] = static_cast<char>(random());
    needed_libraries(folder.file("bad", bad));
  }
}

}  // namespace ds
