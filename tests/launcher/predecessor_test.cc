// What a launcher finds of one that died before it: whom it takes over, whom it ends, and whom it refuses to meet.
#include "launcher/job/predecessor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "launcher/job/job_file.h"
#include "launcher/job/output_folder.h"
#include "launcher/plan/job.h"
#include "launcher/plan/job_identity.h"
#include "tests/launcher/temporary_folder.h"
#include "topology/base/error.h"

namespace ds {
namespace {

constexpr long kNotItsStart = 1;  // the pid is ours, so it is that of a process that has ended

Handover four_ranks() {
  Handover handover;
  handover.generation = 3;
  handover.stepping = true;
  handover.host_of_rank = {1, 1, 2, 2};
  handover.first = {6, 6, 2, {24, 4, 2}, true, {2, 2, 2}};
  handover.fingerprint = "the same";
  return handover;
}

class PredecessorTest : public ::testing::Test {
 protected:
  PredecessorTest() {
    job_.id = "new-1";
    job_.key = "new key";
    job_.output = folder_.path + "/out";
    job_.elastic.restarts = true;
    job_.fingerprint = "the same";
    std::filesystem::create_directories(job_.output);
  }

  std::string state() const { return folder_.path + "/state"; }

  void leave_file(const std::string& host = this_host_name()) {
    JobFile file{"old-1", "n", job_.output, host, "old key", {}, 4321, ::getpid(), kNotItsStart};
    file.handover = four_ranks();
    write_job_file(state(), file);
  }

  void leave_job_json(const std::string& text) { std::ofstream(job_json_path(job_.output)) << text; }

  static void make_older(const std::string& path, int seconds) {
    const time_t then = ::time(nullptr) - seconds;
    const timespec times[2] = {{then, 0}, {then, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

  testing::TemporaryFolder folder_;
  Job job_;
};

TEST_F(PredecessorTest, WhatItLeftIsReadBack) {
  leave_file();
  const std::vector<JobFile> files = read_job_files(state());
  ASSERT_EQ(files.size(), 1u);
  ASSERT_TRUE(files[0].handover);
  EXPECT_EQ(to_json(*files[0].handover).dump(), to_json(four_ranks()).dump());
}

TEST_F(PredecessorTest, TheSameJobOnTheSameHostTakesItsPlace) {
  leave_file();
  find_predecessor(state(), job_);
  ASSERT_TRUE(job_.after);
  EXPECT_TRUE(job_.after->resumes);
  EXPECT_EQ(job_.after->port, 4321);
  EXPECT_EQ(job_.after->handover.host_of_rank, (std::vector<int>{1, 1, 2, 2}));
  EXPECT_EQ(job_.id, "old-1");
  EXPECT_EQ(job_.key, "old key");
}

TEST_F(PredecessorTest, AnotherConfigurationEndsWhatItFinds) {
  leave_file();
  job_.fingerprint = "another";
  find_predecessor(state(), job_);
  ASSERT_TRUE(job_.after);
  EXPECT_FALSE(job_.after->resumes);
  EXPECT_EQ(job_.id, "old-1");
  EXPECT_EQ(job_.key, "new key");
}

TEST_F(PredecessorTest, OnlyAgentsThatMayStillBeThereMatter) {
  leave_file();
  make_older(state() + "/old-1.json", 60);
  find_predecessor(state(), job_);
  EXPECT_FALSE(job_.after);
  EXPECT_TRUE(read_job_files(state()).empty());
}

TEST_F(PredecessorTest, AnotherFolderIsAnotherJob) {
  leave_file();
  job_.output += "2";
  find_predecessor(state(), job_);
  EXPECT_FALSE(job_.after);
  EXPECT_EQ(read_job_files(state()).size(), 1u);
}

TEST_F(PredecessorTest, AJobOfAnotherHostIsSeenInTheFolder) {
  leave_job_json(R"({"id": "far-1", "state": "running", "control": "elsewhere:99", "elastic": true})");
  make_older(job_json_path(job_.output), 100);  // clocks may differ
  find_predecessor(state(), job_);
  ASSERT_TRUE(job_.after);
  EXPECT_FALSE(job_.after->resumes);
  EXPECT_EQ(job_.id, "far-1");
}

TEST_F(PredecessorTest, JobsThatAreOverOrNotElasticLeaveNoRanks) {
  for (const char* text : {R"({"id": "a", "control": "elsewhere:99", "elastic": true, "exit_code": 0})",
                           R"({"id": "a", "control": "elsewhere:99"})", "{", ""}) {
    leave_job_json(text);
    find_predecessor(state(), job_);
    EXPECT_FALSE(job_.after) << text;
  }
}

TEST_F(PredecessorTest, AJobThatIsNotElasticIsRefusedUntilTheyAreGone) {
  leave_file();
  job_.elastic.restarts = false;
  try {
    find_predecessor(state(), job_);
    FAIL() << "it would meet the old ranks";
  } catch (const Error& error) {
    EXPECT_EQ(exit_status(error.code()), 75);
    EXPECT_NE(std::string(error.what()).find("--elastic"), std::string::npos);
  }
}

TEST_F(PredecessorTest, AskingForJobsDoesNotLoseWhatWasLeft) {
  leave_file();
  EXPECT_THROW(find_job(state(), ""), Error);
  EXPECT_EQ(read_job_files(state()).size(), 1u);
}

}  // namespace
}  // namespace ds
