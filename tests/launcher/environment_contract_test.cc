// What ranks get is what was given, byte for byte: arguments, variables, folders, files of variables; on this machine
// and through a login.
#include <gtest/gtest.h>
#include <sched.h>

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "agent/listener.h"
#include "tests/launcher/fake_login.h"
#include "tests/launcher/shell_job.h"
#include "topology/base/error.h"

extern char** environ;

namespace ds::testing {
namespace {

const std::string kBytes = "\xff\xfe{run}\x01";  // no UTF-8, and the name of our run folder
const std::string kText = "a\nb  \"c\" 'd' ;|&()$HOME `e` \\";

const std::string kTellInHex = "; printf %s \"$1\" | od -An -tx1 | tr -d ' \\n'; echo";

std::string hex(const std::string& bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) text += {kDigits[byte >> 4], kDigits[byte & 15]};
  return text;
}

// Each test runs its job here and behind a login.
class ByteForByte : public ::testing::TestWithParam<bool> {
 protected:
  // One rank; `words`: options, program and its arguments.
  RunResult run(const Words& words, RunOptions options = marked()) const {
    Words all = {"-np", "1"};
    if (GetParam()) all.insert(all.end(), {"-H", kElsewhere, "--ssh", fake_login(folder)});
    all.insert(all.end(), words.begin(), words.end());
    options.env.insert({{"HOME", folder.path}});
    return run_dslaunch(all, options);
  }
  TemporaryFolder folder;
};

INSTANTIATE_TEST_SUITE_P(Where, ByteForByte, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "BehindALogin" : "OnThisMachine"; });

TEST_P(ByteForByte, Arguments) {
  for (const std::string& text : {kBytes, kText, std::string("{run}/x"), std::string()}) {
    RunResult result = run({"/bin/sh", "-c", ":" + kTellInHex, "sh", text});
    EXPECT_EQ(result.out, hex(text) + "\n") << result.err;
  }
}

TEST_P(ByteForByte, Variables) {
  for (const std::string& text : {kBytes, kText, std::string("=a=b"), std::string()}) {
    RunOptions options = marked();
    options.env["FROM_OURS"] = text;
    const std::string script = "set -- \"$GIVEN\"" + kTellInHex + "; set -- \"$FROM_OURS\"" + kTellInHex;
    RunResult result = run({"-x", "GIVEN=" + text, "-x", "FROM_OURS", "/bin/sh", "-c", script}, options);
    EXPECT_EQ(result.out, hex(text) + "\n" + hex(text) + "\n") << result.err;
  }
}

TEST_P(ByteForByte, FunctionsOfAShell) {
  RunOptions options = marked();
  options.env["BASH_FUNC_greet%%"] = "() {  echo hello \"$1\"\n}";
  RunResult result = run({"-x", "BASH_FUNC_greet%%", "bash", "-c", "greet world"}, options);
  EXPECT_EQ(result.out, "hello world\n") << result.err;
}

TEST_P(ByteForByte, WorkingFolders) {
  const std::string given = folder.path + "/given" + kBytes, ours = folder.path + "/ours " + kBytes;
  for (const std::string& one : {given, ours}) std::filesystem::create_directory(one);
  const std::string script = "set -- \"$(pwd)\"" + kTellInHex;
  for (const char* name : {"--wdir", "--wd"}) {
    RunResult result = run({name, given, "/bin/sh", "-c", script});
    EXPECT_EQ(result.out, hex(given) + "\n") << result.err;
  }
  RunOptions options = marked();
  options.folder = ours;
  EXPECT_EQ(run({"/bin/sh", "-c", script}, options).out, hex(ours) + "\n") << "the launcher's, where the host has it";
}

TEST_P(ByteForByte, EnvFilesOfHomeAndOfTheFolderTheLastOneCounts) {
  folder.write(".deepspeed_env", "A=home\nB=home\nC=home\n");
  folder.write("work/.deepspeed_env", "# the job's\nexport B=folder\nC=\"folder\"");
  RunOptions options = marked();
  options.folder = folder.path + "/work";
  RunResult result = run({"-x", "C=given", "/bin/sh", "-c", "echo $A $B $C"}, options);
  EXPECT_EQ(result.out, "home folder given\n") << result.err;
}

TEST_P(ByteForByte, DsEnvFileNamesAnotherFileInTheSameFoldersOrOneByItsPath) {
  folder.write("other_env", "A=home\nB=home\n");
  folder.write("work/other_env", "B=folder\n");
  folder.write("work/.deepspeed_env", "A=default\nB=default\n");
  const auto told = [&](const std::string& name) {
    RunOptions options = marked();
    options.folder = folder.path + "/work";
    options.env["DS_ENV_FILE"] = name;
    RunResult result = run({"/bin/sh", "-c", "echo $A $B"}, options);
    return result.out + result.err;
  };
  EXPECT_EQ(told("other_env"), "home folder\n");
  EXPECT_EQ(told(folder.path + "/other_env"), "home home\n");
  EXPECT_EQ(told(""), "\n");
}

TEST_P(ByteForByte, AnEnvFileThatIsAFolderEndsTheJob) {
  const std::string path = folder.path + "/.deepspeed_env";
  std::filesystem::create_directory(path);
  RunResult result = run({"touch", folder.path + "/ran"});
  EXPECT_EQ(result.code, 2) << result.err;
  EXPECT_NE(result.err.find("cannot read " + path + ": is a folder"), std::string::npos) << result.err;
  EXPECT_FALSE(folder.has("ran"));
}

TEST_P(ByteForByte, PrependPutsAValueBeforeThatOfTheHost) {
  folder.write(".deepspeed_env", "prepend PATH=/x y:/z\nLITERAL=$PATH:/x\n");
  RunResult result = run({"/bin/sh", "-c", "echo \"$PATH\"; echo \"$LITERAL\""});
  EXPECT_EQ(result.out, "/x y:/z:" + std::string(std::getenv("PATH")) + "\n$PATH:/x\n") << result.err;
}

TEST_P(ByteForByte, ABadLineOfAnEnvFileEndsTheJob) {
  const std::string file = folder.write(".deepspeed_env", "A=1\nnonsense\n");
  RunResult result = run({"touch", folder.path + "/ran"});
  EXPECT_EQ(result.code, 2) << result.err;
  EXPECT_NE(result.err.find(file + ":2"), std::string::npos) << result.err;
  EXPECT_FALSE(folder.has("ran"));
}

TEST_P(ByteForByte, BindingsReachTheRank) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &allowed)) --last;
  RunResult result = run({"--cpu-list", std::to_string(last), "grep", "Cpus_allowed_list", "/proc/self/status"});
  EXPECT_EQ(result.out, "Cpus_allowed_list:\t" + std::to_string(last) + "\n") << result.err;
}

TEST(EnvironmentContract, TheNoiseOfALoginIsNoOutput) {
  TemporaryFolder folder;
  const std::string login = fake_login(folder, "echo welcome; printf 'no newline'; echo to errors >&2");
  RunResult result = run_dslaunch({"-H", kElsewhere, "--ssh", login, "-np", "1", "echo", "through"}, marked());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "through\n");
  EXPECT_EQ(result.err, "");
}

TEST(EnvironmentContract, VariablesOfASlurmJobThatIsNotOursAreNoTrouble) {
  const RunOptions options = {"", {{"SLURM_JOB_CPUS_PER_NODE", "64(x2)"}}, "/tmp"};
  RunResult result = run_dslaunch(shell(1, "echo \"<$SLURM_JOB_CPUS_PER_NODE>\""), options);
  EXPECT_EQ(result.out, "<>\n") << result.err;
}

TEST(EnvironmentContract, NoTransportOfUcxOrNcclIsChosenUnasked) {
  const RunResult result = run_dslaunch({"--oversubscribe", "-np", "2", "env"});
  EXPECT_NE(result.out.find("OMPI_COMM_WORLD_RANK=1"), std::string::npos) << result.err;
  for (const std::string& variable : split(result.out, '\n')) {
    const std::string name = variable.substr(0, variable.find('='));
    const bool of_a_transport = name.starts_with("UCX_") || name.starts_with("NCCL_");
    EXPECT_TRUE(!of_a_transport || std::getenv(name.c_str())) << variable;
    EXPECT_FALSE(name.starts_with("OMPI_MCA_") && variable.ends_with("=eth0")) << variable;
  }
}

TEST(EnvironmentContract, AllRanksMeetAtOnePort) {
  const Words ports = sorted_lines(run_dslaunch(shell(3, "echo $MASTER_ADDR $MASTER_PORT")).out);
  ASSERT_EQ(ports.size(), 3u);
  EXPECT_EQ(ports[0], ports[2]);
  EXPECT_GT(std::stoi(ports[0].substr(ports[0].find(' '))), 1023) << ports[0];
  EXPECT_EQ(run_dslaunch(shell(1, "echo $MASTER_PORT", {"--master_port", "4242"})).out, "4242\n");
}

TEST(EnvironmentContract, AllRanksMeetAtAPortWhereNobodyListens) {
  boost::asio::io_context io;
  const Listener busy(io, true, std::nullopt, [](int) {});
  const std::string range = std::to_string(busy.port() - 9) + "-" + std::to_string(busy.port());
  const std::string knock = "echo $MASTER_PORT; "
                            "(exec 3<>/dev/tcp/127.0.0.1/$MASTER_PORT) 2>/dev/null && echo taken; true";
  const RunResult result = run_dslaunch({"--ports", range, "-np", "1", "bash", "-c", knock});
  EXPECT_EQ(result.code, 0) << result.err;
  const Words said = split(trim(result.out), '\n');
  ASSERT_EQ(said.size(), 1u) << result.out;
  EXPECT_LT(std::stoi(said[0]), busy.port());
  EXPECT_GT(std::stoi(said[0]), busy.port() - 10);
}

// One may be left for the launcher, none for its rank server.
TEST(EnvironmentContract, PortsThatOthersHaveTakenAreNoFaultOfTheJob) {
  boost::asio::io_context io;
  const auto ignore = [](int) {};
  std::optional<Listener> high, low;
  for (int attempt = 0; !low && attempt < 100; ++attempt) try {
      high.emplace(io, false, std::nullopt, ignore);
      low.emplace(io, false, std::pair(high->port() - 1, high->port() - 1), ignore);
    } catch (const Error&) {
      continue;
    }
  ASSERT_TRUE(low) << "no two ports side by side";
  const std::string range = std::to_string(low->port() - 1) + "-" + std::to_string(high->port());
  const RunResult result = run_dslaunch({"--ports", range, "-np", "1", "true"});
  EXPECT_EQ(result.code, 75) << result.err;
  EXPECT_NE(result.err.find("--ports=" + range), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("all 3 are in use"), std::string::npos) << result.err;
}

TEST(EnvironmentContract, JobsOfOneMachineMeetAtPortsOfTheirOwn) {
  const Words wait = shell(1, "echo $MASTER_PORT is mine; exec sleep 600");
  RunningDslaunch first(wait, marked()), second(wait, marked());
  for (RunningDslaunch* job : {&first, &second}) ASSERT_TRUE(job->wait_for(" is mine")) << job->err();
  EXPECT_NE(first.out(), second.out());
  for (RunningDslaunch* job : {&first, &second}) job->signal(SIGTERM);
  for (RunningDslaunch* job : {&first, &second}) EXPECT_EQ(job->wait().code, 143);
}

TEST(EnvironmentContract, APortThatOthersLikeIsNotNeeded) {
  boost::asio::io_context io;
  std::optional<Listener> usual;  // PyTorch's and DeepSpeed's
  try {
    usual.emplace(io, false, std::pair(29500, 29500), [](int) {});
  } catch (const Error&) {  // as busy as it can be
  }
  const RunResult result = run_dslaunch(shell(2, "echo $MASTER_PORT"));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.find("29500"), std::string::npos) << result.out;
}

TEST(EnvironmentContract, WithoutAFolderOfItsOwnARankStartsAtHome) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path + "/gone");
  RunOptions options = marked();
  options.program = "/bin/sh";
  options.env["HOME"] = folder.path;
  options.folder = folder.path + "/gone";
  const std::string script = "rmdir \"$PWD\"; exec " + test::bin_folder() + "/dslaunch -np 1 pwd";
  RunResult result = run_dslaunch({"-c", script}, options);
  EXPECT_EQ(result.out, folder.path + "\n") << result.err;
}

TEST(EnvironmentContract, AnAppFileIsAJob) {
  TemporaryFolder folder;
  const std::string app = folder.write("app", "# two programs\n"
                                              "-np 1 sh -c 'echo first $RANK'\n"
                                              "-np 1 -x V=7 sh -c \"echo second \\$RANK \\$V\"\n");
  RunResult result = run_dslaunch({"--oversubscribe", "--app", app});
  EXPECT_EQ(sorted_lines(result.out), (Words{"first 0", "second 1 7"})) << result.err;
}

}  // namespace
}  // namespace ds::testing
