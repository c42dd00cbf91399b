// Who may wait at the control port without having proved anything: a bounded number, whoever knocks. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace ds {

class PendingConnections {
 public:
  explicit PendingConnections(size_t limit) : limit_(limit) {}  // at least 1

  // Takes in one more; ids grow with time. When there are too many now, returns the one that has to go: the oldest of
  // the host that has most here. So a flood pushes out its own, a proof that takes one round trip comes in time, and
  // what just waits to do harm goes first.
  std::optional<uint64_t> add(uint64_t id, const std::string& host);
  void remove(uint64_t id);  // proved, closed or pushed out; unknown ids are ignored
  size_t size() const { return host_of_.size(); }

 private:
  uint64_t to_push_out() const;

  size_t limit_;
  std::map<uint64_t, std::string> host_of_;
  std::map<std::string, std::set<uint64_t>> ids_of_;
};

}  // namespace ds
