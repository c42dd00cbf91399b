// What the runner does when the table says so: asks hosts, starts and ends generations, feeds input.
#include <csignal>
#include <utility>

#include "agent/proto/control.pb.h"
#include "launcher/control/agent_fleet.h"
#include "launcher/control/collector.h"
#include "launcher/hang/hang_report.h"
#include "launcher/output/console.h"
#include "launcher/output/event_log.h"
#include "launcher/plan/generation_setup.h"
#include "launcher/plan/job.h"
#include "launcher/records/job_record.h"
#include "launcher/job/job_runner.h"
#include "launcher/plan/port_budget.h"
#include "launcher/output/rank_output.h"
#include "launcher/job/rank_streams.h"
#include "launcher/control/shared_addresses.h"
#include "launcher/control/start_message.h"
#include "topology/base/error.h"

namespace ds {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

void JobRunner::describe() {
  control::Envelope message;
  message.mutable_describe()->set_interface(job_.options.interface);
  fleet_->send_all(message);
}

void JobRunner::check_paths() {
  keep_shared_addresses(job_.hosts.cluster.hosts, fleet_->contact_addresses(), !job_.options.interface.empty());
  if (job_.elastic.restarts) plan_first();
  else complete_plan(job_);
  if (verdict_) return;
  if (!job_.plan.placed) throw Error(ErrorCode::kInternal, "launcher: a host did not tell its cores");
  check_port_budget(job_.plan, job_.local, job_.options);
  if (keeps_ranks_) record_.keep_generation(job_.after->handover.generation);
  if (!job_.plan.ranks.empty()) job_.meeting_port = reports_.free_port(static_cast<int>(job_.plan.ranks[0].host));
  record_.open_output();
  if (!record_.already_done().empty() || job_.plan.world_size == 0) {
    if (!record_.already_done().empty()) console_.note(record_.already_done());
    return step(JobEvent::kFailed);  // nothing to do: a verdict of 0
  }
  if (job_.options.display_allocation) console_.out(allocation_text(job_.plan));
  if (job_.options.display_map) console_.out(map_text(job_.plan));
  if (job_.options.report_bindings && job_.options.bind_to != "none") console_.err(bindings_text(job_.plan));
  if (!job_.training()) return;
  reported_.assign(reported_.size(), false);
  std::vector<int> hosts;
  for (size_t host = 0; host < reported_.size(); ++host) hosts.push_back(static_cast<int>(host));
  ask_for_paths(hosts);
}

void JobRunner::ask_for_paths(const std::vector<int>& hosts) {
  control::Envelope message;
  control::CheckPaths& check = *message.mutable_check_paths();
  for (const std::string& path : paths_to_check(job_)) check.add_readable(path);
  check.set_token_file(record_.token_path());
  check.set_token(record_.token());
  for (int host : hosts) fleet_->send(host, message);
}

void JobRunner::set_up_generation() {
  ranks_ = RankTable(job_.plan);
  std::vector<std::string> names;
  std::vector<int> nodes = nodes_of(job_.plan);
  for (int host : nodes) names.push_back(host_name(host));
  collector_ = std::make_unique<Collector>(
      record_.generation(), names,
      [this, nodes](int node, const control::Envelope& message) { fleet_->send(nodes[node], message); });
  streams_->begin(record_.generation(), nodes, job_.plan.hosts.size(),
                  output_options(job_, record_.log_folder(), console_));
  progress_ = std::make_unique<Progress>(progress_style_of(job_), job_.settings ? job_.settings->log_every : 1,
                                         job_.plan.world_size);
  progress_->start_generation(record_.generation(), steady_clock::now());
  hang_ = hang_watch_of(job_, steady_clock::now());
}

void JobRunner::start_generation() {
  if (++generations_ > 1) plan_next();
  generation_began_ = steady_clock::now();
  generation_open_ = true;
  set_up_generation();
  hand_over(keeps_ranks_);
  if (job_.after && generations_ == 1) resume_ranks();
  if (keeps_ranks_) return;
  record_.write({"generation_forming"});
  record_.set_state("forming");
  std::vector<std::string> warnings;
  StartRequest request = start_request(job_, record_.generation(), warnings);
  for (const std::string& warning : warnings) console_.note(warning);
  StartMessages messages(job_.plan, request);
  for (int host : nodes_of(job_.plan)) fleet_->send_serialized(host, messages.for_host(host));
}

void JobRunner::announce_running() {
  record_.set_state("running");
  if (std::exchange(keeps_ranks_, false)) return tell_resumed();
  record_.write({"generation_running"});
  if (!job_.training()) streams_->feed(stdin_readers());  // ranks that are not there read nothing
  auto took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - started_);
  console_.detail(std::to_string(job_.plan.world_size) + " ranks run after " + std::to_string(took.count()) + " ms");
}

void JobRunner::ask_ranks_to_stop() {
  record_.set_state("stopping");
  control::Envelope message;
  message.mutable_signal()->set_generation(record_.generation());
  message.mutable_signal()->set_signal(stop_signal_);
  fleet_->send_all(message);
}

void JobRunner::end_generation(milliseconds grace) {
  streams_->stop_feeding();
  control::Envelope message;
  message.mutable_end()->set_generation(record_.generation());
  message.mutable_end()->set_grace_ms(static_cast<uint32_t>(grace.count()));
  message.mutable_end()->set_trace_ms(static_cast<uint32_t>(trace_limit().count()));
  for (int host : ranks_.unended_hosts()) {
    if (fleet_->is_alive(host)) fleet_->send(host, message);
    else ranks_.host_ended(host);
  }
}

std::vector<int> JobRunner::stdin_readers() const {
  std::vector<int> readers;
  for (int rank = 0; rank < job_.plan.world_size; ++rank)
    if (job_.options.stdin_target == "all" || job_.options.stdin_target == std::to_string(rank))
      readers.push_back(rank);
  return readers;
}

}  // namespace ds
