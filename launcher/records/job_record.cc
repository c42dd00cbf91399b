#include "launcher/records/job_record.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "launcher/plan/job.h"
#include "launcher/records/job_file.h"
#include "launcher/plan/job_identity.h"
#include "launcher/records/output_folder.h"
#include "topology/base/error.h"
#include "topology/base/hex.h"

namespace ds {

JobRecord::JobRecord(const Job& job) : job_(job), events_(std::make_unique<EventLog>("")) {}

JobRecord::~JobRecord() {
  if (published_) remove_job_file(job_folder_, job_.id);
}

void JobRecord::lock_output(const std::string& output) {
  if (!folder_) folder_ = OutputFolder::lock(output);
}

void JobRecord::open_output() {
  if (opened_ || job_.output.empty()) return;
  opened_ = true;
  lock_output(job_.output);
  OutputContents contents = inspect_output(job_.output);
  if (job_.settings) {
    const CheckpointSettings& checkpoint = job_.settings->checkpoint;
    std::string problem = resume_problem(contents, job_.output, checkpoint.resume, job_.name);
    if (!problem.empty()) throw Error(ErrorCode::kUsage, problem);
    int64_t steps = job_.settings->steps;
    if (kept_generation_ == 0 && checkpoint.resume == "auto" && steps > 0 && contents.latest_step >= steps)
      already_done_ = "already at step " + std::to_string(contents.latest_step) + " of " + std::to_string(steps);
  }
  if (!already_done_.empty()) return;
  generation_ = kept_generation_ != 0 ? kept_generation_ : contents.last_generation + 1;
  folder_->name_holder(job_.id);
  events_ = std::make_unique<EventLog>(job_.output + "/events.jsonl");
  token_ = to_hex(new_job_key());
  if (job_.training()) token_path_ = folder_->write_token(job_.id, token_);
  if (!job_.after) {
    write({"job_started"});
  } else {
    Event event{"launcher_replaced"};
    event.seconds = job_.after->silence;
    write(event);
  }
  save();
}

std::string JobRecord::log_folder() const {
  return folder_ ? job_.output + "/logs/" + std::to_string(generation_) : "";
}

void JobRecord::write(const Event& event) {
  Event complete = event;
  if (!complete.generation) complete.generation = generation_;
  events_->write(complete);
}

void JobRecord::publish(int port, const std::vector<std::string>& addresses) {
  port_ = port;
  control_ = this_host_name() + ":" + std::to_string(port);
  job_folder_ = job_file_folder();
  if (job_folder_.empty()) return;
  file_ = std::make_unique<JobFile>(JobFile{job_.id, job_.name, job_.output, this_host_name(), job_.key, addresses,
                                            port, static_cast<int>(::getpid()), 0});
  file_->start_ticks = start_ticks_of(file_->pid);
  if (job_.after) file_->handover = job_.after->handover;
  write_file();
}

void JobRecord::write_file() {
  try {
    write_job_file(job_folder_, *file_);
    published_ = true;
  } catch (const Error& error) {
    problem_ = error.what();
  }
}

void JobRecord::hand_over(const Handover& handover) {
  if (!published_) return;
  file_->output = job_.output;
  file_->handover = handover;
  write_file();
}

void JobRecord::alive() {
  if (published_) touch_job_file(job_folder_, job_.id);
  if (opened_ && folder_) folder_->touch_job();
}

void JobRecord::set_state(const std::string& state) {
  state_ = state;
  save();
}

void JobRecord::set_step(int64_t step) {
  step_ = step;
  save();
}

void JobRecord::finish(int exit_code, const std::string& reason, bool on_request) {
  exit_code_ = exit_code;
  reason_ = reason;
  state_ = exit_code == 0 ? "finished" : on_request ? "stopped" : "failed";
  Event event{"job_finished"};
  event.exit_code = exit_code;
  event.reason = reason;
  if (step_ >= 0) event.step = step_;
  write(event);
  save();
}

void JobRecord::save() {
  if (!opened_ || !folder_ || !already_done_.empty()) return;
  try {
    folder_->write_job(state_json());
  } catch (const Error& error) {
    problem_ = error.what();
  }
}

std::string JobRecord::state_json() const {
  nlohmann::ordered_json json;
  json["id"] = job_.id;
  json["name"] = job_.name;
  json["state"] = state_;
  json["hosts"] = nlohmann::ordered_json::array();
  for (const Host& host : job_.plan.hosts) json["hosts"].push_back(host.name);
  json["ranks"] = job_.plan.world_size;
  json["generation"] = generation_;
  if (step_ >= 0) json["step"] = step_;
  if (job_.settings && job_.settings->steps > 0) json["steps"] = job_.settings->steps;
  if (!job_.output.empty()) json["output"] = job_.output;
  if (!control_.empty()) json["control"] = control_;
  json["pid"] = ::getpid();
  if (!job_.fingerprint.empty()) json["elastic"] = true;
  if (exit_code_ >= 0) json["exit_code"] = exit_code_;
  if (!reason_.empty()) json["reason"] = reason_;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string JobRecord::state_text() const {
  std::string text = job_.id + "  " + state_ + "  " + std::to_string(job_.plan.world_size) + " ranks on " +
                     std::to_string(job_.plan.hosts.size()) + (job_.plan.hosts.size() == 1 ? " host" : " hosts") +
                     "  generation " + std::to_string(generation_);
  if (step_ >= 0) text += "  step " + std::to_string(step_);
  if (job_.settings && job_.settings->steps > 0) text += "/" + std::to_string(job_.settings->steps);
  if (!job_.output.empty()) text += "\n  output " + job_.output;
  return text;
}

}  // namespace ds
