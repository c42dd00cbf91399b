#include "launcher/reach/start_simulation.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <vector>

namespace ds {
namespace {

constexpr int kLauncher = -1;

// Processors: work on one is done in the order in which it comes.
class Cores {
 public:
  Cores(int num_hosts, int shared)
      : shared_(shared), free_at_(static_cast<size_t>(shared ? shared : num_hosts + 1), 0.0) {}

  // When work of `seconds` that comes at `now` on that host is done.
  double done(int host, double now, double seconds) {
    double& core =
        shared_ ? *std::min_element(free_at_.begin(), free_at_.end()) : free_at_[static_cast<size_t>(host + 1)];
    core = std::max(core, now) + seconds;
    return core;
  }

 private:
  int shared_;
  std::vector<double> free_at_;
};

class Simulation {
 public:
  Simulation(int num_hosts, const StartLimits& limits, const StartCosts& costs)
      : costs_(costs), cores_(num_hosts, costs.shared_cores), depth_(static_cast<size_t>(num_hosts), 0),
        schedule_(num_hosts, {}, hosts(num_hosts), unlimited(limits), {}) {}

  StartTimes run() {
    launch(0);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      event.what(event.time);
    }
    return times_;
  }

 private:
  struct Event {
    double time;
    long long order;  // of equal times
    std::function<void(double)> what;
    bool operator<(const Event& other) const { return time != other.time ? time > other.time : order > other.order; }
  };

  static std::vector<int> hosts(int n) {
    std::vector<int> all(static_cast<size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  static StartLimits unlimited(StartLimits limits) {
    limits.each = std::chrono::hours(24 * 365);
    return limits;
  }

  void at(double time, std::function<void(double)> what) { events_.push({time, ++order_, std::move(what)}); }

  void launch(double now) {
    for (int host : schedule_.starts({})) {
      ++times_.by_launcher;
      start(kLauncher, host, now);
    }
  }

  void start(int from, int host, double now) {
    depth_[static_cast<size_t>(host)] = from == kLauncher ? 1 : depth_[static_cast<size_t>(from)] + 1;
    const double sent = cores_.done(from, now, costs_.start_cpu);
    at(sent + costs_.latency, [this, host](double there) {
      at(cores_.done(host, there, costs_.host_cpu) + costs_.message, [this, host](double hello) { join(host, hello); });
    });
  }

  void join(int host, double now) {
    const double known = cores_.done(kLauncher, now, costs_.join_cpu);
    at(known, [this, host](double time) {
      times_.all_joined = std::max(times_.all_joined, time);
      times_.depth = std::max(times_.depth, depth_[static_cast<size_t>(host)]);
      ++times_.messages;
      const std::vector<int> children = schedule_.joined(host, {});
      if (!children.empty()) {
        ++times_.messages;
        at(time + costs_.message, [this, host, children](double asked) {
          for (int child : children) start(host, child, asked);
        });
      }
      launch(time);
    });
  }

  StartCosts costs_;
  Cores cores_;
  std::vector<int> depth_;
  StartSchedule schedule_;
  StartTimes times_;
  std::priority_queue<Event> events_;
  long long order_ = 0;
};

}  // namespace

StartTimes simulate_start(int num_hosts, const StartLimits& limits, const StartCosts& costs) {
  return Simulation(num_hosts, limits, costs).run();
}

}  // namespace ds
