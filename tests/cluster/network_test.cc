// Networks as people have them: a launcher that nobody can dial, IPv6 alone, private networks that are the same on every
// host, names that mean something else elsewhere, bounded ports, clocks that disagree.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "tests/cluster/job_fixture.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;

std::vector<std::string> sorted_lines(const std::string& text) {
  auto lines = split(trim(text), '\n');
  std::sort(lines.begin(), lines.end());
  return lines;
}

const std::vector<std::string> kAllSums(6, "size=6 sum=15");
const std::vector<std::string> kTwoRanksOnEach = {"0 on node1", "1 on node1", "2 on node2", "3 on node2", "4 on node3", "5 on node3"};

class Network : public JobTest {
 protected:
  explicit Network(bool ipv6 = false) : JobTest(false, 3, ipv6) {}

  void on(const std::string& host, const std::string& script) {
    const auto result = bed().run(host, {"sh", "-ec", script}, seconds(20));
    ASSERT_EQ(result.code, 0) << host << ": " << script << ": " << result.err;
  }
  HostBed::Result sum(std::vector<std::string> options = {}) {
    options.push_back(program("mpi_sum"));
    return bed().run("node1", launch(options), seconds(90));
  }
  void expect_sums(const HostBed::Result& result) {
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(sorted_lines(result.out), kAllSums) << result.err;
    expect_nothing_left();
  }
};

// A network with the same address on every host, which leads nowhere, and is no docker by its name.
constexpr const char* kPrivateNetwork =
    "ip link add priv0 type bridge; ip address add 172.17.0.1/16 dev priv0; ip link set priv0 up";

TEST_F(Network, ALauncherThatNobodyCanDialTalksOverSsh) {
  // Its answers to what others dial are lost, those of its own ssh are not: as behind a gateway that translates.
  for (const char* host : {"10.77.0.2", "10.77.0.3"})
    on("node1", std::string("ip rule add to ") + host + " ipproto tcp dport 22 lookup main pref 100; ip rule add to " + host +
                    " ipproto tcp blackhole pref 200");
  const auto dialled = bed().run("node2", {"timeout", "2", "bash", "-c", "exec 3<>/dev/tcp/10.77.0.1/22"}, seconds(20));
  ASSERT_NE(dialled.code, 0) << "node1 can be dialled after all";
  const auto result = bed().run("node1", launch({"sh", "-c", "echo $RANK on $(hostname)"}), seconds(90));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(sorted_lines(result.out), kTwoRanksOnEach);
  const auto failed = bed().run("node1", launch({"sh", "-c", "[ $RANK = 5 ] && exit 3; sleep 600"}), seconds(90));
  EXPECT_EQ(failed.code, 3) << failed.err;
  expect_nothing_left();
}

TEST_F(Network, APrivateNetworkThatIsTheSameOnEveryHostIsNotUsed) {
  for (const auto& host : bed().names()) on(host, kPrivateNetwork);
  expect_sums(sum());
  expect_sums(sum({"--wireup", "mpirun"}));
  const auto result = bed().run("node1", launch({"sh", "-c", "echo $MASTER_ADDR $OMPI_MCA_btl_tcp_if_include"}), seconds(60));
  EXPECT_EQ(sorted_lines(result.out), std::vector<std::string>(6, "10.77.0.1 10.77.0.0/24")) << result.err;
}

TEST_F(Network, ABridgeOfContainersIsNotUsedWhereItsAddressesDifferEither) {
  for (const auto& host : bed().names())
    on(host, "ip link add docker0 type bridge; ip address add 172.17.0." + host.substr(4) + "/16 dev docker0; ip link set docker0 up");
  expect_sums(sum());
  const auto result = bed().run("node1", launch({"sh", "-c", "echo $MASTER_ADDR $OMPI_MCA_btl_tcp_if_include"}), seconds(60));
  EXPECT_EQ(sorted_lines(result.out), std::vector<std::string>(6, "10.77.0.1 10.77.0.0/24")) << result.err;
}

TEST_F(Network, TheUserChoosesTheNetworkByNameOrNumber) {
  for (const auto& host : bed().names())
    on(host, "ip link add link eth0 name fast0 type macvlan mode bridge; ip address add 10.88.0." + host.substr(4) +
                 "/24 dev fast0; ip link set fast0 up");
  for (const char* wanted : {"fast0", "10.88.0.0/16"}) {
    const auto result = bed().run("node1", launch({"--interface", wanted, "sh", "-c",
                                                   "echo $MASTER_ADDR $OMPI_MCA_btl_tcp_if_include $NCCL_SOCKET_IFNAME"}), seconds(60));
    EXPECT_EQ(sorted_lines(result.out), std::vector<std::string>(6, "10.88.0.1 10.88.0.0/24 fast0")) << result.err;
    expect_sums(sum({"--interface", wanted}));
  }
  const auto wrong = sum({"--interface", "none7"});
  EXPECT_EQ(wrong.code, 2) << wrong.err;
  EXPECT_NE(wrong.err.find("no address for --interface=none7"), std::string::npos) << wrong.err;
  EXPECT_NE(wrong.err.find("fast0 10.88.0.1"), std::string::npos) << wrong.err;
}

TEST_F(Network, NoTransportIsChosenUnasked) {
  const auto result = bed().run("node1", launch({"env"}), seconds(60));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("OMPI_COMM_WORLD_RANK=5"), std::string::npos) << result.out;
  for (const std::string& variable : split(result.out, '\n'))
    for (const char* transport : {"UCX_", "NCCL_", "GLOO_"}) EXPECT_FALSE(variable.starts_with(transport)) << variable;
}

class NetworkByWireup : public Network, public ::testing::WithParamInterface<const char*> {};

TEST_P(NetworkByWireup, EveryPortIsInTheRangeThatWasAskedFor) {
  const std::string marks = folder("ports");
  std::filesystem::create_directories(marks);
  // Each rank waits inside MPI for the last one, which goes on when the test has looked.
  HostCommand job = bed().start("node1", launch({"--wireup", GetParam(), "--ports", "23000-23019", program("mpi_wait"), marks}));
  ASSERT_TRUE(wait_until([&] { return std::distance(std::filesystem::directory_iterator(marks), {}) == 6; }, seconds(60))) << job.err();
  std::set<int> seen;
  for (const auto& host : bed().names()) {
    const auto listening = bed().run(host, {"ss", "-Hltn"}, seconds(20));
    ASSERT_EQ(listening.code, 0) << listening.err;
    for (const std::string& line : split(trim(listening.out), '\n')) {
      std::istringstream words(line);
      std::string state, received, sent, local;
      words >> state >> received >> sent >> local;
      const int port = static_cast<int>(parse_int(local.substr(local.rfind(':') + 1)).value_or(0));
      if (port == 22) continue;
      seen.insert(port);
      EXPECT_TRUE(port >= 23000 && port <= 23019) << host << ": " << line;
    }
  }
  EXPECT_GE(seen.size(), 3u) << "launcher, PMIx servers, ranks";
  std::ofstream(marks + "/go");
  EXPECT_EQ(job.wait(seconds(60)), 0) << job.err();
  expect_nothing_left();
  const auto small = sum({"--wireup", GetParam(), "--ports", "23000-23002"});
  EXPECT_EQ(small.code, 2) << small.err;
  EXPECT_NE(small.err.find("--ports=23000-23002: 3 ports, but node1 needs"), std::string::npos) << small.err;
}

INSTANTIATE_TEST_SUITE_P(Every, NetworkByWireup, ::testing::Values("pmix", "mpirun"), [](const auto& wireup) { return wireup.param; });

TEST_F(Network, NamesThatMeanOtherHostsElsewhereDoNoHarm) {
  on("node2", "cp /etc/hosts /run/hosts; printf '127.0.0.1 localhost node1\\n10.77.0.2 node3\\n10.77.0.9 node2\\n' >/run/other; "
              "mount --bind /run/other /etc/hosts");
  on("node3", "printf '127.0.0.1 localhost\\n' >/run/other; mount --bind /run/other /etc/hosts");
  expect_sums(sum());
}

TEST_F(Network, HostsThatAreKnownByAddressAloneAreEnough) {
  const std::string hide = "printf '127.0.0.1 localhost\\n' >/run/hosts; mount --bind /run/hosts /etc/hosts; "
                           "mount --bind /bin/false $(readlink -f $(command -v hostname))";
  for (const auto& host : bed().names()) on(host, hide);
  ASSERT_NE(bed().run("node1", {"getent", "hosts", "node2"}).code, 0) << "names are known after all";
  ASSERT_NE(bed().run("node1", {"hostname", "-I"}).code, 0);
  std::ofstream(hostfile()) << "10.77.0.1 slots=2\n10.77.0.2 slots=2\n10.77.0.3 slots=2\n";
  expect_sums(sum());
  const auto met = bed().run("node1", launch({"sh", "-c", "echo $MASTER_ADDR"}), seconds(60));
  EXPECT_EQ(sorted_lines(met.out), std::vector<std::string>(6, "10.77.0.1")) << met.err;
}

TEST_F(Network, ClocksThatDisagreeByMinutesAreNoFault) {
  const std::string library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
  if (!std::filesystem::exists(library)) GTEST_SKIP() << library << " is not there (package libfaketime)";
  const std::string bin_there = folder("prefix/bin");
  std::filesystem::create_directories(bin_there);
  std::ofstream(bin_there + "/dsagent") << "#!/bin/sh\ncase $(hostname) in node2) export FAKETIME=-7m;; node3) export FAKETIME=-9m;; esac\n"
                                           "export LD_PRELOAD=" + library + " DONT_FAKE_MONOTONIC=1\nexec " + program("dsagent") + " \"$@\"\n";
  std::filesystem::permissions(bin_there + "/dsagent", std::filesystem::perms(0755));
  // Both behind the launcher's: libfaketime 0.9.10 breaks timers of processes that it puts ahead.
  const auto result = sum({"--prefix", folder("prefix")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(sorted_lines(result.out), kAllSums) << result.err;
  const auto failed = bed().run("node1", launch({"--prefix", folder("prefix"), "sh", "-c",
                                                 "date +%s >&2; [ $RANK = 3 ] && exit 4; sleep 600"}), seconds(60));
  EXPECT_EQ(failed.code, 4) << failed.err;
  EXPECT_EQ(last_error(failed.err).value("rank", -1), 3) << failed.err;
  const auto dates = bed().run("node1", launch({"--prefix", folder("prefix"), "sh", "-c", "echo $(hostname) $(date +%s)"}), seconds(60));
  std::map<std::string, long> clock;
  std::istringstream words(dates.out);
  for (std::string host; words >> host;) words >> clock[host];
  EXPECT_GT(clock["node1"] - clock["node2"], 360) << "the clocks agree: " << dates.out;
  EXPECT_GT(clock["node1"] - clock["node3"], 480) << "the clocks agree: " << dates.out;
}

class NetworkOfIpv6 : public Network {
 protected:
  NetworkOfIpv6() : Network(true) {}
};

TEST_F(NetworkOfIpv6, ProgramsAndMpiRunOverIt) {
  const auto shown = bed().run("node1", launch({"sh", "-c", "echo $MASTER_ADDR $OMPI_MCA_btl_tcp_if_include"}), seconds(60));
  EXPECT_EQ(sorted_lines(shown.out), std::vector<std::string>(6, "fd77::1 eth0")) << shown.err;
  expect_sums(sum());
}

// Hosts by the addresses of their links alone. The interface in them is node1's; node2 calls its own otherwise.
class NetworkOfLinkLocalNames : public Network {
 protected:
  void SetUp() override {
    Network::SetUp();
    if (IsSkipped()) return;
    on("node2", "ip link set eth0 down; ip link set eth0 name lan7; ip link set lan7 up");
    on("node3", "/usr/sbin/sshd -f " + folder("../sshd_config") + " -p 2222");
    for (const auto& host : bed().names()) addresses_.push_back(link_local_address(host) + "%eth0");
    std::ofstream(hostfile()) << addresses_[0] << " slots=2\n[" << addresses_[1] << "] slots=2\n[" << addresses_[2] << "]:2222 slots=2\n";
  }

  std::string link_local_address(const std::string& host) {
    std::string address;
    wait_until([&] {
      std::istringstream words(bed().run(host, {"ip", "-6", "-o", "address", "show", "scope", "link", "-tentative"}).out);
      for (std::string word; address.empty() && words >> word;)
        if (word.starts_with("fe80:")) address = word.substr(0, word.find('/'));
      return !address.empty();
    }, seconds(30));
    EXPECT_NE(address, "") << host;
    return address;
  }
  const std::string& address(int host) const { return addresses_[host]; }

  // The bed's known_hosts has no such names.
  static std::vector<std::string> over_ssh(std::vector<std::string> words) {
    words.insert(words.begin(), {"--ssh", "ssh -o HostKeyAlias=node1"});
    return words;
  }

 private:
  std::vector<std::string> addresses_;
};

TEST_F(NetworkOfLinkLocalNames, AgentsStartThereAndDataTakeTheOtherAddresses) {
  expect_sums(sum(over_ssh({})));
  expect_sums(sum(over_ssh({"--wireup", "mpirun"})));
  std::vector<std::string> words = {program("dslaunch")};
  for (const auto& word : over_ssh({"--host", "[" + address(1) + "]:2," + address(0), "sh", "-c", "echo $RANK on $(hostname)"}))
    words.push_back(word);
  const auto result = bed().run("node1", words, seconds(90));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(sorted_lines(result.out), (std::vector<std::string>{"0 on node2", "1 on node2", "2 on node1"})) << result.err;
}

TEST_F(NetworkOfLinkLocalNames, ProgramsRunWhereThereIsNoOtherAddress) {
  for (const auto& host : bed().names())
    on(host, "ip -4 address flush scope global; ip -6 address flush scope global; ! ip -o address show scope global | grep .");
  const auto result = bed().run("node1", launch(over_ssh({"sh", "-c", "echo $RANK on $(hostname)"})), seconds(90));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(sorted_lines(result.out), kTwoRanksOnEach) << result.err;
  const auto failed = bed().run("node1", launch(over_ssh({"sh", "-c", "[ $RANK = 5 ] && exit 3; sleep 600"})), seconds(90));
  EXPECT_EQ(failed.code, 3) << failed.err;
  EXPECT_EQ(last_error(failed.err).value("host", ""), address(2)) << failed.err;
  expect_nothing_left();
}

}  // namespace
}  // namespace ds::testing
