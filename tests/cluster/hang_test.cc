// A job over several hosts that stands still: who is named, and that a slow link is nobody's fault.
#include <signal.h>

#include "tests/cluster/job_fixture.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;

class HangOnHosts : public JobTest {
 protected:
  size_t steps() const { return losses_of(folder("job")).size(); }
  bool trains(HostCommand& job, size_t until) {
    return wait_until([&] { return steps() >= until || !job.running(); }, seconds(120)) && job.running();
  }
  std::vector<nlohmann::json> events(const std::string& name) const {
    std::vector<nlohmann::json> found;
    std::ifstream file(folder("job") + "/out/events.jsonl");
    for (std::string line; std::getline(file, line);)
      if (auto event = nlohmann::json::parse(line, nullptr, false); event.is_object() && event.value("event", "") == name)
        found.push_back(event);
    return found;
  }
  std::vector<nlohmann::json> hangs() const { return events("hang_detected"); }
  void on(const std::string& host, const std::string& script) {
    const auto result = bed().run(host, {"sh", "-ec", script}, seconds(20));
    ASSERT_EQ(result.code, 0) << host << ": " << script << ": " << result.err;
  }
};

TEST_F(HangOnHosts, AStoppedRankIsNamedWithItsHost) {
  const auto config = write_training_job(folder("job"), {.steps = 1000000, .zero_stage = 3});
  HostCommand job = bed().start("node1", launch({config}));
  ASSERT_TRUE(wait_until([&] { return !events("first_step").empty(); }, seconds(120))) << job.err();
  const size_t heard = events("first_step")[0].value("step", size_t{0});
  ASSERT_TRUE(trains(job, heard + 12)) << job.err();  // the launcher knows how long a step takes
  pid_t stopped = -1;
  for (const auto& seen : bed().processes("node2"))
    if (seen.name == "dsengine") stopped = seen.pid;
  ASSERT_GT(stopped, 0);
  ::kill(stopped, SIGSTOP);
  const auto code = job.wait(seconds(120));
  EXPECT_EQ(code.value_or(-1), 1) << job.err();
  ASSERT_EQ(hangs().size(), 1u) << job.err();
  EXPECT_EQ(hangs()[0].value("host", ""), "node2");
  EXPECT_EQ(last_error(job.err()).value("host", ""), "node2") << job.err();
  EXPECT_NE(job.err().find("on node2 is stopped by a signal"), std::string::npos) << job.err();
  expect_nothing_left();
}

// Steps become a hundred times longer than the ones before; messages still arrive.
TEST_F(HangOnHosts, ALinkThatBecomesSlowIsNoHang) {
  const auto config = write_training_job(folder("job"), {.steps = 1000000, .zero_stage = 2});
  HostCommand job = bed().start("node1", launch({config}));
  ASSERT_TRUE(trains(job, 12)) << job.err();
  on("node2", "tc qdisc add dev eth0 root handle 1: htb; tc class add dev eth0 parent 1: classid 1:1 htb rate 100kbit burst 2000; "
              "tc filter add dev eth0 parent 1: protocol ip u32 match ip dst 10.77.0.3 flowid 1:1");
  const size_t before = steps();
  EXPECT_TRUE(trains(job, before + 3)) << job.err();
  EXPECT_TRUE(hangs().empty());
  on("node2", "tc qdisc del dev eth0 root");
  EXPECT_TRUE(trains(job, before + 12)) << job.err();
  job.signal(SIGINT);
  EXPECT_EQ(job.wait(seconds(60)).value_or(-1), 130) << job.err();
  EXPECT_TRUE(hangs().empty());
  expect_nothing_left();
}

}  // namespace
}  // namespace ds::testing
