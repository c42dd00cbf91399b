#include "launcher/reach/start_schedule.h"

#include <algorithm>

namespace ds {

StartSchedule::StartSchedule(int num_hosts, const std::vector<int>& warm, const std::vector<int>& tree,
                             StartLimits limits, Time now)
    : limits_(limits),
      tree_(tree),
      entries_(static_cast<size_t>(num_hosts)),
      last_joined_(now),
      ready_(warm.begin(), warm.end()),
      open_(num_hosts) {
  for (int host : warm) entries_[host].single = entries_[host].warm = true;
  for (size_t position = 0; position < tree.size(); ++position) {
    Entry& entry = entries_[tree[position]];
    entry.single = entry.in_tree = true;
    entry.position = static_cast<int>(position);
    if (limits_.fan_out == 0 || entry.position < limits_.fan_out) ready_.push_back(tree[position]);
  }
  for (Entry& entry : entries_) {
    if (entry.single) continue;
    entry.state = State::kStarting;
    entry.deadline = now + limits_.each;
  }
}

std::vector<int> StartSchedule::starts(Time now) {
  std::vector<int> result;
  while (!ready_.empty() && under_way_ < limits_.at_once) {
    Entry& entry = entries_[ready_.front()];
    if (entry.state == State::kWaiting) {
      entry.state = State::kStarting;
      entry.starter.reset();
      entry.deadline = now + limits_.each;
      ++under_way_;
      result.push_back(ready_.front());
    }
    ready_.pop_front();
  }
  return result;
}

std::vector<int> StartSchedule::children(int host) const {
  const Entry& entry = entries_[host];
  if (!entry.in_tree || limits_.fan_out == 0) return {};
  const size_t fan_out = static_cast<size_t>(limits_.fan_out);
  const size_t first = fan_out * (static_cast<size_t>(entry.position) + 1);
  if (first >= tree_.size()) return {};
  return {tree_.begin() + static_cast<std::ptrdiff_t>(first),
          tree_.begin() + static_cast<std::ptrdiff_t>(std::min(first + fan_out, tree_.size()))};
}

std::vector<int> StartSchedule::joined(int host, Time now) {
  Entry& entry = entries_[host];
  if (entry.state == State::kJoined) return {};
  no_more_under_way(entry);
  if (open(host)) --open_;
  entry.state = State::kJoined;
  last_joined_ = now;
  std::vector<int> result;
  for (int child : children(host)) {
    Entry& next = entries_[child];
    if (next.state != State::kWaiting || next.orphan) continue;
    next.state = State::kStarting;
    next.starter = host;
    next.deadline = now + limits_.each;
    result.push_back(child);
  }
  return result;
}

bool StartSchedule::failed(int host, bool hopeless) {
  Entry& entry = entries_[host];
  if (entry.state == State::kJoined || entry.state == State::kFailed) return false;
  no_more_under_way(entry);
  if (entry.warm || (entry.starter && !hopeless)) {
    entry.state = State::kWaiting;
    entry.orphan = true;
    entry.warm = false;
    entry.starter.reset();
    ready_.push_back(host);
    return true;
  }
  entry.state = State::kFailed;
  --open_;
  adopt_children(host);
  return false;
}

void StartSchedule::no_more_under_way(const Entry& entry) {
  if (entry.state == State::kStarting && entry.single && !entry.starter) --under_way_;
}

void StartSchedule::lost(int host) {
  for (int child : children(host))
    if (entries_[child].state == State::kStarting && entries_[child].starter == host) failed(child, false);
}

void StartSchedule::adopt_children(int host) {
  for (int child : children(host)) {
    if (entries_[child].state != State::kWaiting || entries_[child].orphan) continue;
    entries_[child].orphan = true;
    ready_.push_back(child);
  }
}

bool StartSchedule::open(int host) const {
  return entries_[host].state == State::kWaiting || entries_[host].state == State::kStarting;
}

std::optional<int> StartSchedule::starter(int host) const { return entries_[host].starter; }

StartSchedule::Time StartSchedule::end_of(const Entry& entry) const {
  return std::max(entry.deadline, std::min(last_joined_ + limits_.quiet, entry.deadline + 2 * limits_.each));
}

std::vector<int> StartSchedule::overdue(Time now) const {
  std::vector<int> result;
  for (size_t host = 0; host < entries_.size(); ++host)
    if (entries_[host].state == State::kStarting && end_of(entries_[host]) <= now)
      result.push_back(static_cast<int>(host));
  return result;
}

std::vector<int> StartSchedule::late(Time now) {
  std::vector<int> result;
  for (size_t host = 0; host < entries_.size(); ++host) {
    Entry& entry = entries_[host];
    if (entry.state != State::kStarting || entry.told || entry.deadline > now || end_of(entry) <= now) continue;
    entry.told = true;
    result.push_back(static_cast<int>(host));
  }
  return result;
}

std::optional<StartSchedule::Time> StartSchedule::next_deadline() const {
  std::optional<Time> next;
  for (const Entry& entry : entries_) {
    if (entry.state != State::kStarting) continue;
    const Time due = entry.told ? end_of(entry) : entry.deadline;
    if (!next || due < *next) next = due;
  }
  return next;
}

}  // namespace ds
