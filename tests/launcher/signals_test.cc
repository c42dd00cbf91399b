// Signals that a launcher gets: when it has ranks, before it has any, beside other jobs of the user.
#include <gtest/gtest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "agent/file_descriptor.h"
#include "launcher/job/stop_signals.h"
#include "tests/launcher/fake_login.h"
#include "tests/launcher/shell_job.h"
#include "tests/support/poll.h"

namespace ds::testing {
namespace {

constexpr std::chrono::seconds kLong{60};

// Whether the process takes this signal itself by now, instead of dying of it.
bool holds_back(pid_t pid, int signal) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigBlk:")) return std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1;
  return false;
}

// Hands text to whoever reads the named pipe, as soon as somebody does.
bool feed(const std::string& pipe, const std::string& text) {
  FileDescriptor end;
  const auto opened = [&] {
    end.reset(::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    return static_cast<bool>(end);
  };
  return wait_until(opened, kLong) && ::write(end.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// A job whose only host answers when `go` exists.
class Waiting {
 public:
  explicit Waiting(const std::string& script) : job_(words(script), marked()) {}
  RunningDslaunch& job() { return job_; }
  void go() { folder_.write("go", ""); }

 private:
  Words words(const std::string& script) const {
    const std::string login = fake_login(folder_, "until [ -e " + folder_.path + "/go ]; do sleep 0.05; done");
    return shell(1, script, {"-v", "-H", kElsewhere, "--ssh", login});
  }

  TemporaryFolder folder_;
  RunningDslaunch job_;
};

TEST(Signals, ARankThatIgnoresTermIsKilledAfterTheGrace) {
  RunningDslaunch job(shell(1, "trap '' TERM; echo ready; while :; do sleep 0.1; done"), marked());
  ASSERT_TRUE(job.wait_for("ready"));
  job.signal(SIGTERM);
  EXPECT_EQ(job.wait().code, 143) << "one signal is enough";
  EXPECT_EQ(processes_left(mark()), "");
}

TEST(Signals, TheGraceIsTimeToSave) {
  const std::string script = "trap 'sleep 1.5; echo saved; exit 0' TERM; echo ready; while :; do sleep 0.05; done";
  RunningDslaunch job(shell(1, script, {"--grace", "200"}), marked());
  ASSERT_TRUE(job.wait_for("ready"));
  job.signal(SIGTERM);
  RunResult result = job.wait();
  EXPECT_EQ(result.code, 143) << result.err;
  EXPECT_NE(result.out.find("saved"), std::string::npos) << "longer than the second that programs have without --grace";
}

TEST(Signals, Usr1GoesToAllProcessesOfARank) {
  // A child that is still the shell's copy would take the signal for the trap, and go on.
  const std::string until_it_sleeps = "until grep -q sleep /proc/$child/comm; do :; done; ";
  RunningDslaunch job(shell(1, "trap : USR1; sleep 300 & child=$!; " + until_it_sleeps + "echo ready; wait; wait $child; exit $?"), marked());
  ASSERT_TRUE(job.wait_for("ready"));
  job.signal(SIGUSR1);
  EXPECT_EQ(job.wait().code, 128 + SIGUSR1) << "what the shell's child died of";
}

TEST(Signals, AreForwardedThatMpirunForwards) {
  for (const auto& [signal, name] : {std::pair(SIGUSR2, "USR2"), {SIGALRM, "ALRM"}, {SIGABRT, "ABRT"}}) {
    const std::string script = std::string("trap 'exit 7' ") + name + "; echo ready; while :; do sleep 0.05; done";
    RunningDslaunch job(shell(1, script), marked());
    ASSERT_TRUE(job.wait_for("ready"));
    job.signal(signal);
    EXPECT_EQ(job.wait().code, 7) << name;
  }
}

TEST(Signals, CtrlBackslashEndsTheJobAsTermDoesAndLeavesNothing) {
  TemporaryFolder folder;
  RunOptions options = marked();
  options.env["XDG_STATE_HOME"] = folder.path;
  const std::string script = "trap 'echo asked to end; exit 0' TERM; echo ready; while :; do sleep 0.05; done";
  RunningDslaunch job(shell(2, script), options);
  ASSERT_TRUE(job.wait_for("ready"));
  job.signal(SIGQUIT);
  RunResult result = job.wait();
  EXPECT_EQ(result.code, 131) << result.err;
  EXPECT_NE(result.out.find("asked to end"), std::string::npos) << result.out;
  EXPECT_EQ(last_json(result)["signal"], SIGQUIT) << result.err;
  EXPECT_EQ(processes_left(mark()), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path + "/dslaunch")) << "the file with the job's key is gone";
}

TEST(Signals, AQuitThatIsIgnoredStaysSo) {
  RunOptions options = marked();
  options.ignored_signal = SIGQUIT;
  RunningDslaunch job(shell(1, "echo ready; sleep 300"), options);
  ASSERT_TRUE(job.wait_for("ready"));
  job.signal(SIGQUIT);
  job.signal(SIGTSTP);  // its note comes after the other would have been taken
  ASSERT_TRUE(job.wait_for("Ctrl-Z has no effect")) << job.err();
  job.signal(SIGTERM);
  EXPECT_EQ(job.wait().code, 143);
}

TEST(SignalsDeathTest, AbortIsStillACrash) {
  EXPECT_EXIT({ StopSignals signals({SIGABRT}); std::abort(); }, ::testing::KilledBySignal(SIGABRT), "");
}

TEST(Signals, ForRanksThatAreNotThereYetAreNoHarm) {
  Waiting waiting("exit 3");
  ASSERT_TRUE(wait_until([&] { return holds_back(waiting.job().pid(), SIGUSR1); }, kLong));
  waiting.job().signal(SIGUSR1);
  waiting.job().signal(SIGUSR2);
  ASSERT_TRUE(waiting.job().wait_for("got SIGUSR1")) << waiting.job().err();
  ASSERT_TRUE(waiting.job().wait_for("got SIGUSR2")) << waiting.job().err();
  waiting.go();
  RunResult result = waiting.job().wait();
  EXPECT_EQ(result.code, 3) << result.err;
  EXPECT_EQ(last_json(result)["exit_code"], 3) << result.err;
}

TEST(Signals, WhileFilesAreReadDoNotTakeTheVerdictAway) {
  TemporaryFolder folder;
  const std::string hosts = folder.path + "/hosts";
  ASSERT_EQ(::mkfifo(hosts.c_str(), 0600), 0);
  for (int signal : {SIGUSR1, SIGTERM, SIGTSTP}) {
    RunningDslaunch job({"--hostfile", hosts, "true"}, marked());
    ASSERT_TRUE(wait_until([&] { return holds_back(job.pid(), signal); }, kLong));
    job.signal(signal);
    ASSERT_TRUE(feed(hosts, "%bad\n"));
    RunResult result = job.wait(kLong);
    EXPECT_EQ(result.code, 2) << signal << ": " << result.err;
    EXPECT_EQ(last_json(result)["exit_code"], 2) << result.err;
  }
}

TEST(Signals, EndAJobThatStillReachesItsHosts) {
  for (const auto& [signal, code] : {std::pair(SIGINT, 130), {SIGTERM, 143}, {SIGHUP, 129}, {SIGQUIT, 131}}) {
    Waiting waiting("true");
    ASSERT_TRUE(waiting.job().wait_for("starting agents"));
    waiting.job().signal(signal);
    RunResult result = waiting.job().wait();
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(last_json(result)["signal"], signal) << result.err;
    EXPECT_EQ(processes_left(mark()), "") << "the login is gone too";
  }
}

TEST(Signals, ToOneJobLeaveAnotherJobOfTheSameProgramAlone) {
  TemporaryFolder folder;
  const std::string go = folder.path + "/go";
  const Words words = shell(2, "echo ready $RANK; until [ -e " + go + " ]; do sleep 0.05; done; exit 5");
  RunningDslaunch stopped(words, marked()), other(words, marked());
  for (RunningDslaunch* job : {&stopped, &other})
    for (const char* line : {"ready 0", "ready 1"}) ASSERT_TRUE(job->wait_for(line));
  stopped.signal(SIGINT);
  EXPECT_EQ(stopped.wait().code, 130);
  folder.write("go", "");
  EXPECT_EQ(other.wait().code, 5);
}

}  // namespace
}  // namespace ds::testing
