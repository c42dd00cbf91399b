#include "collectives/exchange/progress.h"

#include <algorithm>
#include <cstdio>

#include "collectives/exchange/backoff.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

std::string seconds(std::chrono::milliseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", static_cast<double>(time.count()) / 1000);
  return text;
}

}  // namespace

bool Progress::counts(const Task& task) const {
  return task.call().kind != CallKind::kPointToPoint && task.group().size() == origin_->size();
}

void Progress::entered(const Task& task) {
  if (counters_.entered && counts(task)) counters_.entered->store(++num_entered_, std::memory_order_relaxed);
}

void Progress::finished(const Task& task) {
  if (counters_.done && counts(task)) counters_.done->store(++num_done_, std::memory_order_relaxed);
}

bool Progress::poll() {
  const bool moved = origin_->progress();
  if (moved && counters_.moved) counters_.moved->fetch_add(1, std::memory_order_relaxed);
  for (RunningOperation* operation : running_) operation->advance();
  return moved;
}

std::exception_ptr Progress::failure() const {
  for (const RunningOperation* operation : running_)
    if (operation->failure_) return operation->failure_;
  return nullptr;
}

RunningOperation::RunningOperation(std::unique_ptr<Task> task)
    : task_(std::move(task)),
      progress_(task_->group().progress),
      exceptions_at_start_(std::uncaught_exceptions()) {
  progress_->running_.push_back(this);
}

RunningOperation::~RunningOperation() {
  if (task_ && !failure_ && std::uncaught_exceptions() <= exceptions_at_start_) {
    try {
      wait();
    } catch (...) {  // a handle that is thrown away has nobody to tell
    }
  }
  std::erase(progress_->running_, this);
}

void RunningOperation::advance() {
  if (!task_ || failure_) return;
  try {
    if (!task_->advance()) return;
    progress_->finished(*task_);
    task_.reset();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

bool RunningOperation::finished() const {
  if (failure_) std::rethrow_exception(failure_);
  return task_ == nullptr;
}

bool RunningOperation::test() {
  if (!finished()) progress_->poll();
  return finished();
}

void RunningOperation::wait() {
  Backoff backoff;
  while (!finished()) {
    const bool moved = progress_->poll();
    if (finished()) return;
    if (auto failure = progress_->failure()) std::rethrow_exception(failure);
    if (moved) {
      backoff.reset();
      continue;
    }
    if (backoff.waited() > task_->group().options.deadline) throw_deadline();
    backoff.pause();
  }
}

void RunningOperation::throw_deadline() {
  const Group& group = task_->group();
  const std::vector<int> missing = task_->missing();
  std::vector<std::string> names;
  for (int member : missing)
    names.push_back(std::to_string(member) + " (world " + std::to_string(group.world_ranks[member]) + ")");
  const std::string waited = "collectives: " + name_of(task_->call().kind) + " #" +
                             std::to_string(task_->call().sequence) + " on " + group.label() + ": " +
                             group.label(group.rank()) + " waited " + seconds(group.options.deadline) + " for ";
  const std::string message =
      names.empty() ? waited + "the data: all ranks have called, but the transfer does not end"
                    : waited + "rank" + (names.size() == 1 ? " " : "s ") + join(names, ", ") +
                          ": not called there yet, or stopped, or out of reach";
  task_->give_up("its deadline has passed");
  throw Error(ErrorCode::kDeadline, message);
}

Work start(std::unique_ptr<Task> task) {
  Progress& progress = *task->group().progress;
  progress.entered(*task);
  if (task->advance()) {
    progress.finished(*task);
    return Work();
  }
  return Work(std::make_unique<RunningOperation>(std::move(task)));
}

}  // namespace ds
