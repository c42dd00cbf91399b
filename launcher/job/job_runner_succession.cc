// In the place of a launcher that died: its agents come back, and its ranks go on if all of them are there.
#include <algorithm>

#include "agent/event_loop.h"
#include "agent/proto/control.pb.h"
#include "launcher/control/agent_fleet.h"
#include "launcher/control/start_message.h"
#include "launcher/records/job_record.h"
#include "launcher/job/job_runner.h"
#include "launcher/records/output_folder.h"
#include "launcher/output/console.h"
#include "launcher/plan/host_description.h"
#include "launcher/plan/job.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds kReturnLimit{5};  // agents dial every half second

std::string seconds_text(double value) { return short_number(std::max(0.0, value)) + " s"; }

}  // namespace

void JobRunner::await_agents() {
  const std::string silence = seconds_text(job_.after->silence);
  if (!job_.after->resumes) {
    console_.note("the launcher of this job died " + silence + " ago: what it left on the hosts is ended first");
    return start_missing();
  }
  console_.note("the launcher of this job died " + silence + " ago: taking its place");
  deadline_->after(kReturnLimit, [this] { start_missing(); });
}

// Each is swept first. What they wait for after that is the same as for hosts at the start.
void JobRunner::start_missing() {
  for (size_t host = 0; host < members().size(); ++host)
    if (!fleet_->is_alive(static_cast<int>(host))) fleet_->start_again(static_cast<int>(host));
  deadline_->after(job_.options.start.each + job_.elastic.join_wait, [this] { overdue(); });
  pump();
}

bool JobRunner::all_alive() const {
  for (size_t host = 0; host < members().size(); ++host)
    if (!fleet_->is_alive(static_cast<int>(host))) return false;
  return true;
}

// Two generations must not write into one folder: ranks on hosts that neither came back nor could be swept have their lease.
bool JobRunner::old_ranks_gone() const {
  if (!job_.after || generations_ > 0) return true;
  const double before = job_.after->one_clock ? job_.after->silence : 0;
  if (before + std::chrono::duration<double>(steady_clock::now() - started_).count() >= kAgentsGoneSeconds) return true;
  const std::vector<Host>& hosts = job_.hosts.cluster.hosts;
  return std::all_of(job_.after->hosts.begin(), job_.after->hosts.end(), [&](const std::string& name) {
    const auto at = std::find_if(hosts.begin(), hosts.end(), [&](const Host& host) { return host.name == name; });
    return at != hosts.end() && fleet_->is_clear(static_cast<int>(at - hosts.begin()));
  });
}

bool JobRunner::ranks_go_on() const {
  const Handover& left = job_.after->handover;
  if (!left.stepping) return false;
  for (int host : left.host_of_rank)
    if (!fleet_->is_alive(host) || fleet_->kept_generation(host) != left.generation) return false;
  return true;
}

void JobRunner::plan_after_another() {
  const Handover& left = job_.after->handover;
  const bool go_on = ranks_go_on();
  if (!planner_.plan_after(left, go_on, steady_clock::now())) return too_few();
  keeps_ranks_ = go_on && host_of_rank(job_.plan) == left.host_of_rank;
}

void JobRunner::resume_ranks() {
  control::Envelope message;
  for (size_t host = 0; host < members().size(); ++host) {
    if (!fleet_->is_alive(static_cast<int>(host))) continue;
    const bool keeps = keeps_ranks_ && planner_.has_ranks(static_cast<int>(host));
    message.mutable_resume()->set_generation(keeps ? static_cast<uint32_t>(record_.generation()) : 0);
    fleet_->send(static_cast<int>(host), message);
  }
  if (!keeps_ranks_) {
    console_.note("its ranks cannot go on, they start again from the newest checkpoint");
    return;
  }
  generation_open_ = first_step_told_ = true;
  checkpoint_told_ = inspect_output(job_.output).latest_step;
}

void JobRunner::tell_resumed() const {
  const double alone = job_.after->silence + std::chrono::duration<double>(steady_clock::now() - started_).count();
  console_.note("took over " + std::to_string(job_.plan.world_size) + " ranks of generation " +
                std::to_string(record_.generation()) + ", which went on for " + seconds_text(alone) +
                " without a launcher");
}

void JobRunner::hand_over(bool stepping) {
  if (job_.fingerprint.empty()) return;
  std::vector<std::string> names;
  for (int host : nodes_of(job_.plan)) names.push_back(host_name(host));
  record_.hand_over(
      {record_.generation(), stepping, host_of_rank(job_.plan), names, planner_.first(), job_.fingerprint});
}

}  // namespace ds
