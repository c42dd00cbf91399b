// Running operations of one rank: moved together, because a rank that waits for one operation may be the one that
// others need for another.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "collectives/collective_counters.h"
#include "collectives/exchange/group.h"

namespace ds {

// One operation as a state machine; one algorithm per file derives from it.
class Task {
 public:
  Task(std::shared_ptr<Group> group, const Call& call) : group_(std::move(group)), call_(call) {}
  virtual ~Task() = default;
  // Posts and completes what can be without waiting; true when finished. Throws when the operation has failed.
  virtual bool advance() = 0;
  virtual std::vector<int> missing() const = 0;  // members of the group whose messages have not come
  // The deadline has passed and nobody will wait any longer: what would run on without us is stopped.
  virtual void give_up(const std::string& why) { static_cast<void>(why); }
  Group& group() const { return *group_; }
  const Call& call() const { return call_; }

 protected:
  std::shared_ptr<Group> group_;
  const Call call_;
};

class RunningOperation;

class Progress {
 public:
  // `origin`: the transport from which those of all groups were split.
  explicit Progress(std::shared_ptr<Transport> origin, const CollectiveCounters& counters = {})
      : origin_(std::move(origin)), counters_(counters) {}
  bool poll();  // true when a message finished
  std::exception_ptr failure() const;  // of any running operation
  void entered(const Task& task);
  void finished(const Task& task);

 private:
  friend class RunningOperation;
  bool counts(const Task& task) const;  // one that all ranks of the world take part in

  std::shared_ptr<Transport> origin_;
  CollectiveCounters counters_;
  uint64_t num_entered_ = 0, num_done_ = 0;
  std::vector<RunningOperation*> running_;
};

// A task on its way, as the face's handle knows it. The deadline counts from the last message that moved; the failure
// of any operation ends any wait. Destroyed unfinished it waits; but not while an exception passes, because then the
// peers may wait for this rank: the operation is given up.
class RunningOperation final : public Operation {
 public:
  explicit RunningOperation(std::unique_ptr<Task> task);
  ~RunningOperation() override;
  bool test() override;
  void wait() override;

 private:
  friend class Progress;
  void advance();
  bool finished() const;  // throws the failure
  [[noreturn]] void throw_deadline();

  std::unique_ptr<Task> task_;  // gone when finished
  std::shared_ptr<Progress> progress_;
  std::exception_ptr failure_;
  const int exceptions_at_start_;
};

// Starts a task; the Work is finished already when the first step was the last one.
Work start(std::unique_ptr<Task> task);

}  // namespace ds
