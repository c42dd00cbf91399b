// How long agents take to come up on hosts that are not here: the real schedule of starts, driven by a model of what each
// step costs. A discrete-event simulation, deterministic. docs/start_up.md gives the model and measured constants.
#pragma once

#include "launcher/reach/start_schedule.h"

namespace ds {

// Seconds.
struct StartCosts {
  double start_cpu = 0.010;   // processor time of whoever starts one (fork, ssh's handshake)
  double host_cpu = 0.030;    // processor time on the new host (sshd, login, dsagent) until its Hello is sent
  double latency = 0.25;      // of a start, beyond processor time: what logins wait for
  double join_cpu = 0.0003;   // of the launcher: proof, Hello, Welcome
  double message = 0.0005;    // one way between launcher and an agent
  int shared_cores = 0;       // all hosts and the launcher compute on so many cores together; 0 = one core each
};

struct StartTimes {
  double all_joined = 0;   // seconds from the first start to the last join
  int depth = 0;           // starts in a row, at most
  int by_launcher = 0;     // starts that the launcher made
  long long messages = 0;  // of the launcher to agents: asks and welcomes
};

StartTimes simulate_start(int num_hosts, const StartLimits& limits, const StartCosts& costs);

}  // namespace ds
