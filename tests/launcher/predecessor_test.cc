// What a launcher finds of one that died before it: whom it takes over, whom it ends, and whom it refuses to meet.
#include "launcher/records/predecessor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "launcher/records/job_file.h"
#include "launcher/records/output_folder.h"
#include "launcher/plan/job.h"
#include "launcher/plan/job_identity.h"
#include "tests/launcher/temporary_folder.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr long kNotItsStart = 1;  // the pid is ours, so it is that of a process that has ended

Handover four_ranks() {
  Handover handover;
  handover.generation = 3;
  handover.stepping = true;
  handover.host_of_rank = {1, 1, 2, 2};
  handover.hosts = {"b", "c"};
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
  // As a launcher on another host writes it, with some values replaced.
  nlohmann::json far_job() const {
    return {{"id", "far-1"}, {"state", "running"}, {"hosts", {"a", "b"}}, {"output", job_.output}, {"control", "elsewhere:99"}, {"elastic", true}};
  }

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
  leave_job_json(far_job().dump());
  make_older(job_json_path(job_.output), 100);  // clocks may differ
  find_predecessor(state(), job_);
  ASSERT_TRUE(job_.after);
  EXPECT_FALSE(job_.after->resumes);
  EXPECT_EQ(job_.after->hosts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(job_.id, "far-1");
}

TEST_F(PredecessorTest, ACopyOfAFolderIsNobodysJob) {
  nlohmann::json copied = far_job();
  copied["output"] = "/runs/where-it-came-from";
  leave_job_json(copied.dump());
  find_predecessor(state(), job_);
  EXPECT_FALSE(job_.after);
}

TEST_F(PredecessorTest, JobsThatAreOverOrNotElasticLeaveNoRanks) {
  nlohmann::json over = far_job(), stiff = far_job();
  over["exit_code"] = 0;
  stiff.erase("elastic");
  for (const std::string& text : {over.dump(), stiff.dump(), std::string("{"), std::string()}) {
    leave_job_json(text);
    find_predecessor(state(), job_);
    EXPECT_FALSE(job_.after) << text;
  }
}

// Anybody who may write into the folder can have written them.
TEST_F(PredecessorTest, ValuesOfOtherKindsAreNotBelieved) {
  for (const char* key : {"id", "hosts", "output", "control", "elastic"})
    for (const nlohmann::json& value : {nlohmann::json(5), nlohmann::json("../../x"), nlohmann::json(nullptr), nlohmann::json::array({1})}) {
      nlohmann::json strange = far_job();
      strange[key] = value;
      leave_job_json(strange.dump());
      Job job = job_;
      ASSERT_NO_THROW(find_predecessor(state(), job)) << strange;
      EXPECT_TRUE(!job.after || job.id == "far-1") << strange;
    }
}

TEST_F(PredecessorTest, ADamagedFileIsNotBelieved) {
  leave_file();
  const std::string path = state() + "/old-1.json", whole = read_file(path);
  for (size_t at = 0; at < whole.size(); at += 7) {
    std::ofstream(path) << whole.substr(0, at);
    Job job = job_;
    ASSERT_NO_THROW(find_predecessor(state(), job)) << at;
    EXPECT_FALSE(job.after && at + 2 < whole.size()) << at;
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
