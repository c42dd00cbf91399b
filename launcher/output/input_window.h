// How much standard input may be on its way to ranks that have not read it yet. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace ds {

class InputWindow {
 public:
  explicit InputWindow(const std::vector<int>& readers, uint64_t limit = 1 << 20) : limit_(limit) {
    for (int rank : readers) taken_[rank] = 0;
  }

  void sent(uint64_t bytes) { sent_ += bytes; }
  void taken(int rank, uint64_t total) {  // InputTaken: so far
    if (auto it = taken_.find(rank); it != taken_.end()) it->second = total;
  }
  void gone(int rank) { taken_.erase(rank); }
  bool has_room() const {  // false too when nobody is left who could read
    if (taken_.empty()) return false;
    for (const auto& [rank, bytes] : taken_)
      if (sent_ > bytes + limit_) return false;
    return true;
  }

 private:
  uint64_t limit_, sent_ = 0;
  std::map<int, uint64_t> taken_;
};

}  // namespace ds
