// The small pure parts of the agent.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "agent/bootstrap.h"
#include "agent/elf_needed.h"
#include "agent/free_port.h"
#include "agent/job_folders.h"
#include "agent/lease.h"
#include "agent/listener.h"
#include "agent/networks.h"
#include "agent/oom_kills.h"
#include "agent/output_lines.h"
#include "agent/process_table.h"
#include "agent/program_path.h"
#include "agent/proto/control.pb.h"
#include "topology/base/error.h"

namespace ds {

using std::chrono::milliseconds;
namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    char name[] = "/tmp/agent-values-XXXXXX";
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

// ---- lease

TEST(LeaseValue, CountsFromTheSendingOfTheLastAcknowledgedBeat) {
  const Lease::Time start{};
  Lease lease(start, milliseconds(1000));
  EXPECT_FALSE(lease.expired(start + milliseconds(999)));
  EXPECT_TRUE(lease.expired(start + milliseconds(1000)));
  lease.acknowledged(start + milliseconds(300), start + milliseconds(900));
  EXPECT_EQ(lease.expires(), start + milliseconds(1300));
  EXPECT_EQ(lease.silence(start + milliseconds(800)), milliseconds(500));
}

TEST(LeaseValue, NeitherOldNorFutureAcknowledgementsMoveItWrongly) {
  const Lease::Time start{};
  Lease lease(start, milliseconds(1000));
  lease.acknowledged(start + milliseconds(500), start + milliseconds(600));
  lease.acknowledged(start + milliseconds(100), start + milliseconds(700));
  EXPECT_EQ(lease.expires(), start + milliseconds(1500));
  lease.acknowledged(start + std::chrono::hours(100), start + milliseconds(800));
  EXPECT_EQ(lease.expires(), start + milliseconds(1800));
}

// ---- lines

TEST(OutputLinesValue, OnlyWholeLinesComeOutUntilTheEnd) {
  OutputLines lines;
  EXPECT_EQ(lines.feed("ab"), "");
  EXPECT_EQ(lines.feed("c\nde\nf"), "abc\nde\n");
  EXPECT_EQ(lines.feed("\n"), "f\n");
  EXPECT_EQ(lines.rest(), "");
  lines.feed("end");
  EXPECT_EQ(lines.rest(), "end");
}

TEST(OutputLinesValue, TheBytesAreTheSameHoweverTheyAreCut) {
  std::mt19937 random(3);
  std::string text;
  for (int i = 0; i < 3000; ++i) text += random() % 9 ? static_cast<char>('a' + random() % 26) : '\n';
  for (int round = 0; round < 20; ++round) {
    OutputLines lines;
    std::string got;
    for (size_t at = 0; at < text.size();) {
      const size_t piece = 1 + random() % 50;
      const std::string out = lines.feed(std::string_view(text).substr(at, piece));
      EXPECT_TRUE(out.empty() || out.ends_with('\n'));
      got += out;
      at += piece;
    }
    EXPECT_EQ(got + lines.rest(), text);
  }
}

TEST(OutputLinesValue, AnEndlessLineIsPassedOnInPieces) {
  OutputLines lines;
  size_t out = 0;
  for (int i = 0; i < 400; ++i) out += lines.feed(std::string(64 << 10, 'x')).size();
  EXPECT_GT(out, 16u << 20);
}

// ---- networks

TEST(Networks, ContainAddressesOfTheirOwnFamilyOnly) {
  const Network small{"10.77.3.5", 20, "eth0"};
  EXPECT_TRUE(contains(small, "10.77.15.255"));
  EXPECT_FALSE(contains(small, "10.77.16.0"));
  EXPECT_FALSE(contains(small, "fd00::1"));
  EXPECT_FALSE(contains(small, "nonsense"));
  EXPECT_EQ(cidr(small), "10.77.0.0/20");
  const Network six{"fd00:1::5", 64, "eth0"};
  EXPECT_TRUE(contains(six, "fd00:1::ffff"));
  EXPECT_FALSE(contains(six, "fd00:2::1"));
  EXPECT_EQ(cidr(six), "fd00:1::/64");
}

using Hosts = std::vector<std::vector<std::string>>;

TEST(Networks, TheSharedOnesHoldAnAddressOfEveryOtherHost) {
  const std::vector<Network> own = {
      {"10.0.0.1", 24, "eth0"}, {"192.168.5.1", 24, "ib0"}, {"172.17.0.1", 16, "docker0"}};
  EXPECT_EQ(choose_networks(own, {}, {{"10.0.0.2", "192.168.5.2"}, {"192.168.5.3"}}, ""),
            (NetworkChoice{"192.168.5.0/24", "", "ib0"}));
  EXPECT_EQ(choose_networks(own, {}, {{"10.0.0.2", "192.168.5.2"}}, ""),
            (NetworkChoice{"10.0.0.0/24,192.168.5.0/24", "", "eth0,ib0"}));
}

TEST(Networks, WhatTheLauncherDidNotPublishIsNeverChosen) {
  const std::vector<Network> own = {{"172.17.0.1", 16, "br0"}, {"10.0.0.1", 24, "eth0"}};
  const Hosts others = {{"10.0.0.2", "172.17.0.2"}};
  EXPECT_EQ(choose_networks(own, {"10.0.0.1"}, others, ""), (NetworkChoice{"10.0.0.0/24", "", "eth0"}));
  EXPECT_EQ(choose_networks(own, {"10.0.0.1"}, {{"10.1.0.2"}}, ""), (NetworkChoice{"", "lo,br0", ""}))
      << "hosts behind a router: all but the bridge";
  EXPECT_EQ(choose_networks(own, {}, {{"10.1.0.2"}}, ""), (NetworkChoice{}));
}

TEST(Networks, TheWantedOneIsTakenByNameOrNumber) {
  const std::vector<Network> own = {{"10.0.0.1", 24, "eth0"}, {"172.17.0.1", 16, "br0"}, {"fd00::1", 64, "eth1"}};
  const Hosts others = {{"10.0.0.2"}};
  EXPECT_EQ(choose_networks(own, {"10.0.0.1"}, others, "br0"), (NetworkChoice{"172.17.0.0/16", "", "br0"}));
  EXPECT_EQ(choose_networks(own, {}, others, "172.16.0.0/12"), (NetworkChoice{"172.17.0.0/16", "", "br0"}));
  EXPECT_EQ(choose_networks(own, {}, others, "fd00::/8"), (NetworkChoice{"eth1", "", "eth1"}));
}

TEST(Networks, OfIpv6TheInterfaceIsNamed) {
  const std::vector<Network> own = {{"fd00::1", 64, "eth0"}, {"fd00:1::1", 64, "eth1"}};
  EXPECT_EQ(choose_networks(own, {}, {{"fd00::2"}}, ""), (NetworkChoice{"eth0", "", "eth0"}));
  const std::vector<Network> both = {{"fd00::1", 64, "eth1"}, {"10.0.0.1", 24, "eth0"}};
  EXPECT_EQ(choose_networks(both, {}, {{"fd00::2", "10.0.0.2"}}, ""), (NetworkChoice{"10.0.0.0/24", "", "eth0"}));
}

// ---- ports

TEST(FreePort, StaysInItsRangeAndLeavesTheLastOneForMeeting) {
  const int any = free_port();
  ASSERT_GT(any, 0);
  const PortRange range{any, any + 20 > 65535 ? 65535 : any + 20};
  const int meeting = free_port(range), server = free_port(range, PortUse::kServer);
  for (const int port : {meeting, server}) EXPECT_TRUE(port >= range.low && port <= range.high) << port;
  EXPECT_NE(server, range.high);
  const PortRange one{any, any};
  EXPECT_EQ(free_port(one, PortUse::kServer), any);
}

TEST(FreePort, IsNoneThatTheKernelGivesByChance) {
  EXPECT_EQ(ports_of_choice("32768\t60999\n"), (PortRange{10000, 32767}));
  EXPECT_EQ(ports_of_choice("12000 40000"), (PortRange{40001, 65535}));
  EXPECT_EQ(ports_of_choice("1024 65535"), PortRange{});
  EXPECT_EQ(ports_of_choice(""), PortRange{});
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  int low = 0, high = 0;
  ASSERT_TRUE(file >> low >> high);
  if (!ports_of_choice(std::to_string(low) + " " + std::to_string(high)).bounded()) GTEST_SKIP() << "the kernel gives all ports";
  std::set<int> seen;
  for (int i = 0; i < 20; ++i) {
    const int port = free_port();
    EXPECT_TRUE(port < low || port > high) << port;
    seen.insert(port);
  }
  EXPECT_GT(seen.size(), 10u) << "two jobs that start at once must not look up the same";
}

TEST(FreePort, LooksBelowAPortThatIsBusy) {
  boost::asio::io_context io;
  const Listener busy(io, true, std::nullopt, [](int) {});
  const PortRange range{busy.port() - 20, busy.port()};
  const int meeting = free_port(range), server = free_port(range, PortUse::kServer);
  EXPECT_LT(meeting, busy.port());
  EXPECT_LT(server, meeting);
  EXPECT_GE(server, range.low);
  EXPECT_EQ(free_port({busy.port(), busy.port()}), 0);
}

// ---- programs

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

// ---- /proc

TEST(ProcessTable, TheNameMayHoldParenthesesAndSpaces) {
  const auto info = parse_stat("12 (a) b (c)) S 7 12 12 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 10 20\n");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->pid, 12);
  EXPECT_EQ(info->name, "a) b (c)");
  EXPECT_EQ(info->state, 'S');
  EXPECT_EQ(info->parent, 7);
  EXPECT_EQ(info->start_time, 98765u);
  EXPECT_FALSE(parse_stat(""));
  EXPECT_FALSE(parse_stat("12 (a"));
  EXPECT_FALSE(parse_stat("12 (a) S 1"));
}

TEST(ProcessTable, DescendantsAreFoundAtAnyDepthAndInAnyOrder) {
  const std::vector<ProcessInfo> all = {
      {5, 4, 0, 'S', "e"}, {4, 2, 0, 'S', "d"}, {2, 1, 0, 'S', "b"}, {3, 1, 0, 'S', "c"}};
  const auto below = descendants(all, 2);
  ASSERT_EQ(below.size(), 2u);
  EXPECT_EQ(below[0].pid, 4);
  EXPECT_EQ(below[1].pid, 5);
}

TEST(ProcessTable, AnotherStartTimeIsAnotherProcess) {
  const auto self = process_info(getpid());
  ASSERT_TRUE(self);
  ProcessInfo other = *self;
  other.start_time -= 1;
  signal_exactly(other, SIGKILL);
  SUCCEED() << "still alive";
}

// ---- bootstrap and folders

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

TEST(OomKills, AreCountedByTheKernel) {
  EXPECT_EQ(oom_kills_in("nr_free_pages 5\noom_kill 7\nlast 1\n"), 7u);
  EXPECT_EQ(oom_kills_in("nr_free_pages 5\n"), 0u);
  EXPECT_EQ(oom_kills_in(""), 0u);
}

TEST(OomKills, OfADeadAgentsHostAreToldByItsSweepWhateverElseIsSaid) {
  EXPECT_EQ(oom_kills_told("Welcome to node2!\n" + oom_kills_line(12) + "Connection closed.\n"), 12u);
  EXPECT_EQ(oom_kills_told("Welcome to node2!\ndsagent: cannot be killed: 12 (python)\n"), 0u);
  EXPECT_EQ(oom_kills_told("dsagent: out-of-memory kills: many\n"), 0u);
  EXPECT_EQ(oom_kills_told(""), 0u);
}

}  // namespace ds
