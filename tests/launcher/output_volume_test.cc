// Much output of many ranks, and readers that do not keep up: nothing is lost, no lines are mixed, no more than a bounded
// amount waits, and training goes on.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "agent/file_descriptor.h"
#include "tests/cluster/training_job.h"
#include "tests/launcher/dslaunch_run.h"
#include "tests/launcher/temporary_folder.h"
#include "tests/support/checked_lines.h"
#include "tests/support/poll.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto kDeadline = 100s;
constexpr uint64_t kMiB = 1u << 20;

std::string writer() { return test::bin_folder() + "/line_writer"; }

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
  FileDescriptor read, write;
};

// Reads to the end; false when nothing comes for too long.
bool read_all(int fd, LineCheck& check) {
  std::string bytes(1 << 20, '\0');
  while (true) {
    pollfd wait{fd, POLLIN, 0};
    if (::poll(&wait, 1, 100000) != 1) return false;
    const ssize_t n = ::read(fd, bytes.data(), bytes.size());
    if (n <= 0) break;  // a terminal without another side says EIO
    check.feed(std::string_view(bytes).substr(0, static_cast<size_t>(n)));
  }
  check.end();
  return true;
}

uint64_t bytes_of_logs(const std::string& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) bytes += entry.file_size(error);
  return bytes;
}

// Every rank's log is what the rank wrote; returns all lines.
uint64_t expect_complete_logs(const std::string& folder, int ranks, uint64_t bytes_each) {
  uint64_t lines = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string path = folder + "/rank" + std::to_string(rank) + ".log";
    LineCheck check;
    std::ifstream file(path, std::ios::binary);
    check.feed(std::string(std::istreambuf_iterator<char>(file), {}));
    check.end();
    EXPECT_EQ(check.problem(), "") << path;
    EXPECT_EQ(check.others, "") << path;
    EXPECT_EQ(check.next().size(), 1u) << path;
    EXPECT_GE(fs::file_size(path), bytes_each) << path;
    lines += check.lines();
  }
  return lines;
}

RunOptions writing(uint64_t bytes, uint64_t longest = kMiB) {
  RunOptions options;
  options.env = {{"LINE_WRITER_BYTES", std::to_string(bytes)}, {"LINE_WRITER_LONGEST", std::to_string(longest)}};
  return options;
}

// A training job whose engine is our writer: what the launcher makes of what ranks write does not depend on them.
class WritingEngine {
 public:
  WritingEngine() : config_(write_training_job(folder_.path, {.steps = 1})) {
    fs::create_directories(folder_.path + "/prefix/bin");
    fs::create_symlink(writer(), folder_.path + "/prefix/bin/dsengine");
  }
  std::vector<std::string> arguments(int ranks) const {
    return {"--oversubscribe", "-np", std::to_string(ranks), "--tag-output", "--prefix", folder_.path + "/prefix", config_};
  }
  bool ended() const { return folder_.read("out/events.jsonl").find("job_finished") != std::string::npos; }
  std::string logs() const { return folder_.path + "/out/logs/1"; }

 private:
  TemporaryFolder folder_;
  std::string config_;
};

// "[1,3]<stdout>:": what --tag-output puts before a line.
std::string without_tags(const std::string& text) {
  std::string plain;
  for (const std::string& line : split(text, '\n')) {
    const size_t tag = line.starts_with("[1,") ? line.find(">:") : std::string::npos;
    plain += (tag == std::string::npos ? line : line.substr(tag + 2)) + "\n";
  }
  return plain;
}

TEST(OutputVolume, SixtyFourRanksLoseNothingAndMixNoLines) {
  constexpr int kRanks = 64;
  TemporaryFolder folder;
  Pipe pipe;
  RunOptions options = writing(4 * kMiB);
  options.out_fd = pipe.write.get();
  RunningDslaunch job({"--oversubscribe", "-np", "64", "--output", folder.path + "/out", writer()}, options);
  pipe.write.reset();
  LineCheck check;
  ASSERT_TRUE(read_all(pipe.read.get(), check));
  EXPECT_EQ(job.wait().code, 0);
  EXPECT_EQ(check.problem(), "");
  EXPECT_EQ(check.others, "");
  EXPECT_EQ(check.next().size(), static_cast<size_t>(kRanks));
  EXPECT_EQ(check.lines(), expect_complete_logs(folder.path + "/out/logs/1", kRanks, 4 * kMiB));
}

TEST(OutputVolume, AReaderThatPausesHoldsProgramsAndThenGetsEverything) {
  constexpr int kRanks = 8;
  TemporaryFolder folder;
  Pipe pipe;
  RunOptions options = writing(16 * kMiB);
  options.out_fd = pipe.write.get();
  RunningDslaunch job({"--oversubscribe", "-np", "8", "--output", folder.path + "/out", writer()}, options);
  pipe.write.reset();
  const std::string logs = folder.path + "/out/logs/1";
  uint64_t before = 0, same = 0;
  ASSERT_TRUE(wait_until([&] {
    const uint64_t now = bytes_of_logs(logs);
    same = now == before ? same + 1 : 0;
    before = now;
    return now >= 8 * kMiB && same >= 50;  // looks 20 ms apart
  }, kDeadline)) << job.err();
  EXPECT_LT(before, 40 * kMiB) << "of 128 MiB: the launcher keeps only so much for a reader that pauses";
  LineCheck check;
  ASSERT_TRUE(read_all(pipe.read.get(), check));
  EXPECT_EQ(job.wait().code, 0);
  EXPECT_EQ(check.problem(), "");
  EXPECT_EQ(check.lines(), expect_complete_logs(logs, kRanks, 16 * kMiB));
}

TEST(OutputVolume, TrainingGoesOnWhileNobodyReadsTheTerminalAndIsToldWhatWasLeftOut) {
  constexpr int kRanks = 4;
  const WritingEngine engine;
  Pipe pipe;
  RunOptions options = writing(16 * kMiB, 10000);
  options.out_fd = options.err_fd = pipe.write.get();
  RunningDslaunch job(engine.arguments(kRanks), options);
  pipe.write.reset();
  ASSERT_TRUE(wait_until([&] { return engine.ended(); }, kDeadline)) << "the job waits for its reader";
  std::string text(1 << 16, '\0'), all;
  for (ssize_t n; (n = ::read(pipe.read.get(), text.data(), text.size())) > 0;) all.append(text, 0, static_cast<size_t>(n));
  EXPECT_EQ(job.wait().code, 0);
  LineCheck check(true);
  check.feed(without_tags(all));
  check.end();
  EXPECT_EQ(check.problem(), "");
  const uint64_t lines = expect_complete_logs(engine.logs(), kRanks, 16 * kMiB);
  EXPECT_LT(check.lines(), lines);
  const std::string note = "dslaunch: the terminal did not keep up: " + std::to_string(lines - check.lines()) +
                           " lines of ranks 0-3 are left out here and complete in " + engine.logs() + "\n";
  EXPECT_NE(check.others.find(note), std::string::npos) << check.others;
  EXPECT_EQ(check.others.find("did not keep up"), check.others.rfind("did not keep up")) << "said once";
}

TEST(OutputVolume, TrainingEndsThoughItsTerminalIsNeverRead) {
  const WritingEngine engine;
  FileDescriptor terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_EQ(::grantpt(terminal.get()) + ::unlockpt(terminal.get()), 0);
  FileDescriptor screen(::open(::ptsname(terminal.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(screen);
  RunOptions options = writing(16 * kMiB);
  options.out_fd = options.err_fd = screen.get();
  RunningDslaunch job(engine.arguments(4), options);
  EXPECT_EQ(job.wait().code, 0) << "dslaunch waits for ever for a terminal that nobody reads";
  expect_complete_logs(engine.logs(), 4, 16 * kMiB);
}

}  // namespace
}  // namespace ds::testing
