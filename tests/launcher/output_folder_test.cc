// The output folder: lock, generation numbers, the rules of resume; and the files by which jobs are found.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "launcher/records/job_file.h"
#include "launcher/plan/job_identity.h"
#include "launcher/records/output_folder.h"
#include "tests/topology/expect_error.h"
#include "topology/base/error.h"

namespace ds {
namespace {

namespace fs = std::filesystem;

class OutputFolderTest : public ::testing::Test {
 protected:
  OutputFolderTest() {
    char pattern[] = "/tmp/dslaunch-output-XXXXXX";
    folder = ::mkdtemp(pattern);
  }
  ~OutputFolderTest() override { fs::remove_all(folder); }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(folder + "/" + name).parent_path());
    std::ofstream(folder + "/" + name) << text;
  }
  std::string folder;
};

TEST_F(OutputFolderTest, ASecondJobIsRefusedAndTheFirstIsNamed) {
  auto first = OutputFolder::lock(folder + "/out");
  first->name_holder("job-1");
  try {
    OutputFolder::lock(folder + "/out");
    FAIL() << "locked twice";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_NE(std::string(error.what()).find("job-1"), std::string::npos);
  }
  first.reset();
  EXPECT_NO_THROW(OutputFolder::lock(folder + "/out"));
}

TEST_F(OutputFolderTest, GenerationsContinueOverLaunches) {
  EXPECT_EQ(inspect_output(folder).last_generation, 0);
  write("logs/3/rank0.log", "x");
  write("events.jsonl", "{\"generation\":5}\nbroken {\n{\"generation\":2}\n");
  EXPECT_EQ(inspect_output(folder).last_generation, 5);
  write("job.json", "{\"generation\":7,\"name\":\"a\"}");
  EXPECT_EQ(inspect_output(folder).last_generation, 7);
}

TEST_F(OutputFolderTest, AFolderInThePlaceOfAFileIsNamed) {
  for (const std::string name : {"job.json", "events.jsonl"}) {
    fs::create_directory(folder + "/" + name);
    expect_words(usage_error_of([&] { inspect_output(folder); }), {"cannot read " + folder + "/" + name + ": is a folder"});
    fs::remove(folder + "/" + name);
  }
}

TEST_F(OutputFolderTest, AFailedStartCountsAsEmpty) {
  write("logs/1/rank0.log", "x");
  write("events.jsonl", "{}\n");
  write("metrics.csv", "step,loss\n");
  OutputContents contents = inspect_output(folder);
  EXPECT_TRUE(contents.empty());
  EXPECT_EQ(resume_problem(contents, folder, "never", "a"), "");
}

TEST_F(OutputFolderTest, ResumeNeverLeavesResultsAlone) {
  write("metrics.csv", "step,loss\n1,2\n");
  EXPECT_NE(resume_problem(inspect_output(folder), folder, "never", "a"), "");
  EXPECT_EQ(resume_problem(inspect_output(folder), folder, "auto", "a"), "");
}

TEST_F(OutputFolderTest, ResumeAutoRefusesAnotherJobsFolder) {
  write("metrics.csv", "step,loss\n1,2\n");
  write("job.json", "{\"name\":\"other\"}");
  EXPECT_NE(resume_problem(inspect_output(folder), folder, "auto", "mine").find("other"), std::string::npos);
}

TEST_F(OutputFolderTest, TheNewestCheckpointIsRead) {
  write("checkpoints/latest", "step40\n");
  OutputContents contents = inspect_output(folder);
  EXPECT_TRUE(contents.has_checkpoints);
  EXPECT_EQ(contents.latest_step, 40);
}

TEST_F(OutputFolderTest, JobFilesArePrivateAndFound) {
  JobFile file{"job-1", "n", folder + "/out", this_host_name(), new_job_key(), {"10.0.0.1"}, 1234, ::getpid(), 0};
  file.start_ticks = start_ticks_of(::getpid());
  write_job_file(folder + "/state", file);
  struct stat info {};
  ASSERT_EQ(::stat((folder + "/state/job-1.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  for (const std::string& name : {std::string(""), std::string("job-1"), folder + "/out"}) {
    JobFile found = find_job(folder + "/state", name);
    EXPECT_EQ(found.key, file.key);
    EXPECT_EQ(found.port, 1234);
  }
  EXPECT_THROW(find_job(folder + "/state", "other"), Error);
}

TEST_F(OutputFolderTest, JobsWhoseLauncherIsGoneAreForgotten) {
  JobFile file{"job-2", "n", "", this_host_name(), "key", {}, 1, ::getpid(), 1};  // same pid, another start time
  write_job_file(folder + "/state", file);
  EXPECT_THROW(find_job(folder + "/state", ""), Error);
  EXPECT_TRUE(read_job_files(folder + "/state").empty());
}

// In a container the first process may never take notice of a launcher that was killed.
TEST_F(OutputFolderTest, AZombieIsGone) {
  const pid_t child = ::fork();
  if (child == 0) ::pause();
  EXPECT_NE(start_ticks_of(child), 0);
  ::kill(child, SIGKILL);
  siginfo_t end{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT), 0);  // it stays a zombie
  EXPECT_EQ(start_ticks_of(child), 0);
  ::waitpid(child, nullptr, 0);
}

// Only their own host can ask for their process.
TEST_F(OutputFolderTest, JobsOfOtherHostsRunWhileTheyTouchTheirFile) {
  write_job_file(folder + "/state", {"job-3", "n", "", "elsewhere", "key", {}, 1, 1, 1});
  EXPECT_EQ(find_job(folder + "/state", "").job, "job-3");
  const time_t then = ::time(nullptr) - 1000;
  const timespec times[2] = {{then, 0}, {then, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder + "/state/job-3.json").c_str(), times, 0), 0);
  EXPECT_THROW(find_job(folder + "/state", ""), Error);
  touch_job_file(folder + "/state", "job-3");
  EXPECT_EQ(find_job(folder + "/state", "").job, "job-3");
}

}  // namespace
}  // namespace ds
