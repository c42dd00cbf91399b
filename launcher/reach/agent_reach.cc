#include "launcher/reach/agent_reach.h"

#include <utility>

#include "agent/event_loop.h"

namespace ds {

using std::chrono::duration_cast;
using std::chrono::seconds;

AgentReach::AgentReach(boost::asio::io_context& io, const std::vector<Host>& hosts, const std::vector<int>& warm,
                       const std::vector<int>& tree, StartLimits limits, AgentReachEvents events)
    : hosts_(hosts),
      events_(std::move(events)),
      schedule_(static_cast<int>(hosts.size()), warm, tree, limits, Clock::now()),
      started_(hosts.size(), Clock::now()),
      timer_(std::make_unique<Timer>(io)) {}

AgentReach::~AgentReach() = default;

void AgentReach::go() {
  start_more();
}

void AgentReach::start_more() {
  if (over_) return;
  for (int host : schedule_.starts(Clock::now())) {
    started_[host] = Clock::now();
    events_.start(host);
  }
  set_clock();
}

void AgentReach::joined(int host) {
  const std::vector<int> children = schedule_.joined(host, Clock::now());
  for (int child : children) started_[child] = Clock::now();
  if (!children.empty() && !over_) events_.ask(host, children);
  start_more();
  check_all_over();
}

void AgentReach::start_ended(int host, const std::string& said, int exit_code) {
  const int waited = static_cast<int>(duration_cast<seconds>(Clock::now() - started_[host]).count());
  fail(classify_reach_failure(hosts_[host].name, said, exit_code, waited), host);
}

void AgentReach::rejected(int host, const std::string& versions) {
  version_differs_ = true;
  failures_.push_back({hosts_[host].name, "another build of dslaunch", versions});
  schedule_.failed(host, true);
  start_more();
  check_all_over();
}

void AgentReach::lost(int host) {
  schedule_.lost(host);
  start_more();
}

// A host that does not answer at all would not answer the launcher either; for the rest (logins, names, firewalls) the
// launcher may be better placed than the host that tried.
void AgentReach::fail(const ReachFailure& failure, int host) {
  if (!schedule_.open(host)) return;
  if (!schedule_.failed(host, is_no_answer(failure))) failures_.push_back(failure);
  start_more();
  check_all_over();
}

void AgentReach::look_at_clock() {
  clock_set_ = false;
  const Clock::time_point now = Clock::now();
  std::vector<std::string> given_up, late;
  for (int host : schedule_.overdue(now)) {
    const auto waited = static_cast<int>(duration_cast<seconds>(now - started_[host]).count());
    given_up.push_back(hosts_[host].name);
    fail(classify_reach_failure(hosts_[host].name, events_.said_about(host), -1, waited), host);
  }
  for (int host : schedule_.late(now)) late.push_back(hosts_[host].name);
  if (!given_up.empty() && !over_) events_.on_late(given_up, true);
  if (!late.empty() && !over_) events_.on_late(late, false);
  set_clock();
}

// A later start has a later deadline: the clock may stay as it is.
void AgentReach::set_clock() {
  if (clock_set_ || over_) return;
  const auto next = schedule_.next_deadline();
  if (!next) return;
  clock_set_ = true;
  timer_->after(*next - Clock::now(), [this] { look_at_clock(); });
}

void AgentReach::check_all_over() {
  if (over_ || !schedule_.all_over()) return;
  stop();
  if (!failures_.empty()) events_.on_unreachable(failures_, version_differs_);
}

void AgentReach::stop() {
  over_ = true;
  timer_->cancel();
}

}  // namespace ds
