// What an agent is told first, and the folders it makes.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "agent/bootstrap.h"
#include "agent/job_folders.h"
#include "agent/proto/control.pb.h"
#include "topology/base/error.h"

namespace ds {

using std::chrono::milliseconds;
namespace fs = std::filesystem;

static control::Bootstrap sample() {
  control::Bootstrap bootstrap;
  bootstrap.set_job("job-1");
  bootstrap.set_key(std::string(32, 'k'));
  return bootstrap;
}

static control::Bootstrap through_a_pipe(const std::string& bytes) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const ssize_t written = write(ends[1], bytes.data(), bytes.size());
  EXPECT_EQ(written, static_cast<ssize_t>(bytes.size()));
  close(ends[1]);
  try {
    auto result = read_bootstrap(ends[0], milliseconds(2000));
    close(ends[0]);
    return result;
  } catch (...) {
    close(ends[0]);
    throw;
  }
}

TEST(BootstrapMessage, IsReadExactlyAndTruncationIsAnError) {
  const std::string bytes = encode_bootstrap(sample());
  EXPECT_EQ(through_a_pipe(bytes + "frames").job(), "job-1");
  for (size_t length = 0; length < bytes.size(); ++length) EXPECT_THROW(through_a_pipe(bytes.substr(0, length)), Error);
}

TEST(BootstrapMessage, SilenceIsADeadlineError) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  try {
    read_bootstrap(ends[0], milliseconds(30));
    FAIL() << "returned";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDeadline);
  }
  close(ends[0]);
  close(ends[1]);
}

TEST(BootstrapMessage, JobIdsThatCouldLeaveTheRunFolderAreRefused) {
  for (const char* bad : {"", "..", ".hidden", "a/b", "a b", "a\n"}) EXPECT_FALSE(valid_job_id(bad)) << bad;
  EXPECT_TRUE(valid_job_id("20300101-a_b.c"));
  auto bootstrap = sample();
  bootstrap.set_job("../etc");
  EXPECT_THROW(through_a_pipe(encode_bootstrap(bootstrap)), Error);
}

TEST(BootstrapMessage, AHostFindsItselfByFullThenByShortName) {
  auto bootstrap = sample();
  for (const char* name : {"node1", "node2.cluster", "node3.a", "node3.b"}) bootstrap.add_host_names(name);
  EXPECT_EQ(find_own_index(bootstrap, "node1.cluster"), 0u);
  EXPECT_EQ(find_own_index(bootstrap, "node2"), 1u);
  EXPECT_EQ(find_own_index(bootstrap, "node3.b"), 3u);
  EXPECT_EQ(find_own_index(bootstrap, "node3"), std::nullopt) << "two could be meant";
  EXPECT_EQ(find_own_index(bootstrap, "node9"), std::nullopt);
}

TEST(JobFoldersOnDisk, ComeAndGoWithoutTouchingOtherHosts) {
  const std::string job = "folders-" + std::to_string(getpid());
  const JobFolders one(job, 0, "a"), two(job, 1, "b");
  one.create_generation(3);
  two.create_generation(3);
  write_run_file(one.run_folder(3), "file", "content");
  EXPECT_THROW(write_run_file(one.run_folder(3), "../file", "content"), Error);
  struct stat info {};
  ASSERT_EQ(stat(one.run_folder(3).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  one.remove_generation(3);
  EXPECT_FALSE(fs::exists(one.run_folder(3)) || fs::exists(one.memory_folder(3)));
  one.remove_all();
  EXPECT_FALSE(fs::exists(one.host_folder()));
  EXPECT_TRUE(fs::exists(two.run_folder(3)) && fs::exists(two.memory_folder(3)));
  remove_files_of_job(job, "b");
  EXPECT_FALSE(fs::exists(fs::path(two.host_folder()).parent_path()));
  EXPECT_FALSE(fs::exists(two.memory_folder(3)));
}

}  // namespace ds
