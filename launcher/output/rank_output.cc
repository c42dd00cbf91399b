#include "launcher/output/rank_output.h"

#include "launcher/output/console.h"
#include "launcher/output/terminal_writer.h"
#include "topology/base/text.h"

namespace ds {

// The files are there from the start, also of ranks that write nothing.
RankOutput::RankOutput(Console& console, const RankOutputOptions& options) : console_(console), options_(options) {
  for (int rank = 0; rank < options_.world_size; ++rank) {
    if (const std::string path = log_path(rank); !path.empty()) files_.create(path);
    if (options_.mpirun_folder.empty()) continue;
    files_.create(mpirun_path(rank, false));
    if (!options_.merge_stderr) files_.create(mpirun_path(rank, true));
  }
  tell_problems();
}

RankOutput::~RankOutput() { when_room(nullptr); }

void RankOutput::take(int rank, bool is_stderr, const std::string& data) {
  if (data.empty()) return;
  bool as_stderr = is_stderr && !options_.merge_stderr;
  if (options_.show) show(rank, as_stderr, data);
  else if (options_.show_notes && rank == 0 && !is_stderr) show_notes(data);
  if (std::string path = log_path(rank); !path.empty()) files_.append(path, data);
  if (!options_.mpirun_folder.empty()) files_.append(mpirun_path(rank, as_stderr), data);
  if (!options_.rank_log_folder.empty())
    files_.append(options_.rank_log_folder + "/rank" + std::to_string(rank) + ".log", data);
  if (files_.any_failure()) tell_problems();
  (is_stderr ? kept_[rank].err : kept_[rank].out).add(data);
}

// ---- what does not keep up

bool RankOutput::has_room() const {
  const bool waits_for_reader = options_.show && !options_.leaves_out;
  return !files_.is_full() && !(waits_for_reader && console_.writer().is_full());
}

void RankOutput::when_room(const std::function<void()>& then) {
  const bool waits_for_disk = then && files_.is_full();
  files_.when_room(waits_for_disk ? then : nullptr);
  console_.writer().when_room(waits_for_disk ? nullptr : then);
}

// Once it has begun, it goes on until there is room: whole stretches are missing, not a line here and there.
bool RankOutput::leave_out(int rank, const std::string& data) {
  if (!options_.leaves_out) return false;
  if (left_out_.any() && console_.writer().has_room()) tell_left_out();
  if (!left_out_.any() && !console_.writer().is_full()) return false;
  left_out_.add(rank, data);
  return true;
}

void RankOutput::tell_left_out() {
  if (left_out_.any()) console_.error(left_out_.text(options_.log_folder));
  left_out_.clear();
}

void RankOutput::tell_problems() {
  if (const std::string problems = files_.new_problems(); !problems.empty()) console_.error(problems);
}

void RankOutput::finish() {
  tell_left_out();
  files_.drain();
  tell_problems();
}

// ---- the terminal

// Lines of different ranks never share a line, also when one lacks its end.
void RankOutput::show(int rank, bool is_stderr, const std::string& data) {
  if (leave_out(rank, data)) return;
  tell_failure_before(rank);
  std::string text = options_.format.apply(rank, is_stderr, data, std::time(nullptr));
  int& open_rank = open_rank_[is_stderr && !console_.writer().one_stream()];
  if (open_rank >= 0 && open_rank != rank) text.insert(0, "\n");
  open_rank = text.ends_with('\n') ? -1 : rank;
  if (is_stderr) console_.err(text);
  else console_.out(text);
}

void RankOutput::show_notes(const std::string& data) {
  if (data.find("note:") == std::string::npos && data.find("warning:") == std::string::npos) return;
  if (console_.writer().is_full()) return;
  for (const std::string& line : split(data, '\n'))
    if (line.starts_with("note:") || line.starts_with("warning:")) console_.note(line);
}

void RankOutput::first_failure(const Verdict& verdict) {
  if (options_.show && options_.world_size > 1 && verdict.rank) failure_ = verdict;
}

void RankOutput::tell_failure_before(int rank) {
  if (!failure_ || rank == *failure_->rank) return;
  const std::string lines = last_lines(*failure_->rank);
  console_.error(failure_->error + (lines.empty() ? "" : "; its last output:"));
  console_.err(lines);
  console_.error("what other ranks write after that:");
  failure_.reset();
  open_rank_[0] = open_rank_[1] = -1;
}

std::string RankOutput::last_lines(int rank) const {
  auto it = kept_.find(rank);
  if (it == kept_.end()) return "";
  return it->second.err.empty() ? it->second.out.text() : it->second.err.text();
}

// ---- names

std::string RankOutput::log_path(int rank) const {
  return options_.log_folder.empty() ? "" : options_.log_folder + "/rank" + std::to_string(rank) + ".log";
}

std::string RankOutput::mpirun_path(int rank, bool is_stderr) const {
  std::string number = std::to_string(rank);
  size_t width = std::to_string(options_.world_size > 0 ? options_.world_size - 1 : 0).size();
  if (number.size() < width) number.insert(0, width - number.size(), '0');
  return options_.mpirun_folder + "/1/rank." + number + (is_stderr ? "/stderr" : "/stdout");
}

}  // namespace ds
