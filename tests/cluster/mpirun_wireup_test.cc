// Ranks wired up through a real mpirun on three hosts: what works, what ends with which code, and that nothing is left.
#include <algorithm>

#include "tests/cluster/job_fixture.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;
using Words = std::vector<std::string>;

class MpirunWireupOnHosts : public JobTest {
 protected:
  explicit MpirunWireupOnHosts(bool ipv6 = false) : JobTest(false, 3, ipv6) {}
  HostBed::Result run(Words words) {
    words.insert(words.begin(), {"--wireup", "mpirun"});
    const auto result = bed().run("node1", launch(words), seconds(120));
    expect_nothing_left();
    return result;
  }
  static std::string mpi_program(const std::string& name) { return program("mpi_programs/" + name); }
};

Words sorted_lines(const std::string& text) {
  Words lines = split(trim(text), '\n');
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST_F(MpirunWireupOnHosts, AnMpiProgramIsOneWorldAndItsOutputIsOurs) {
  const auto result = run({program("mpi_sum")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(sorted_lines(result.out), Words(6, "size=6 sum=15")) << result.err;
}

TEST_F(MpirunWireupOnHosts, RanksSitWhereThePlanSays) {
  const auto result = run({"--map-by", "node", "sh", "-c", "echo $OMPI_COMM_WORLD_RANK $RANK $(hostname) $OMPI_COMM_WORLD_LOCAL_RANK $LOCAL_RANK"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(sorted_lines(result.out), (Words{"0 0 node1 0 0", "1 1 node2 0 0", "2 2 node3 0 0", "3 3 node1 1 1", "4 4 node2 1 1",
                                             "5 5 node3 1 1"}));
}

TEST_F(MpirunWireupOnHosts, ProgramsMaySpawnMore) {
  const auto result = run({mpi_program("spawn_more"), "3"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(sorted_lines(result.out), (Words{"first sees 9", "spawned sees 9"})) << result.err;
}

TEST_F(MpirunWireupOnHosts, ARankThatFailsOrAbortsEndsTheJobWithItsCode) {
  const auto failed = run({"sh", "-c", "if [ $RANK = 4 ]; then exit 3; fi; sleep 600"});
  EXPECT_EQ(failed.code, 3) << failed.err;
  EXPECT_EQ(nlohmann::json::parse(split(trim(failed.err), '\n').back()).value("rank", -1), 4) << failed.err;
  const auto aborted = run({mpi_program("abort"), "3", "7"});
  EXPECT_EQ(aborted.code, 7) << aborted.err;
}

class MpirunWireupOverIpv6 : public MpirunWireupOnHosts {
 protected:
  MpirunWireupOverIpv6() : MpirunWireupOnHosts(true) {}
};

TEST_F(MpirunWireupOverIpv6, HostsMayHaveNamesThatMpirunRefuses) {
  bed().run("node1", {"sh", "-c", "echo 'fd77::3 rack_3.lan' >>/etc/hosts"});
  std::ofstream(hostfile()) << "fd77::1 slots=2\nfd77::2 slots=2\nrack_3.lan slots=2\n";
  const auto result = run({"--ssh", "ssh -o HostKeyAlias=node1", program("mpi_sum")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(sorted_lines(result.out), Words(6, "size=6 sum=15")) << result.err;
}

TEST_F(MpirunWireupOnHosts, AMpirunThatIsKilledEndsTheJob) {
  HostCommand job = bed().start("node1", launch({"--wireup", "mpirun", "sh", "-c", "echo up; sleep 600"}));
  ASSERT_TRUE(wait_until([&] { const auto out = job.out(); return std::count(out.begin(), out.end(), '\n') == 6; }, seconds(60)))
      << job.out() << job.err();
  bed().kill_process("node1", "mpirun");
  const auto code = job.wait(seconds(60));
  ASSERT_TRUE(code) << job.err();
  EXPECT_NE(*code, 0);
  EXPECT_NE(job.err().find("mpirun ended"), std::string::npos) << job.err();
  expect_nothing_left();
}

TEST_F(MpirunWireupOnHosts, WithoutAMpirunItSaysSo) {
  bed().run("node1", {"sh", "-c", "mount --bind /dev/null $(readlink -f $(which mpirun))"});
  const auto result = run({"true"});
  EXPECT_NE(result.code, 0);
  EXPECT_NE(result.err.find("no mpirun on the first host"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace ds::testing
