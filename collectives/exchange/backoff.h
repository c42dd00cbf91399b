// How a rank waits: a few polls at full speed, then it offers its core to others, then it sleeps in growing steps.
// Ranks may outnumber cores; one that spins keeps the one it waits for from running.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace ds {

class Backoff {
 public:
  void pause() {
    ++polls_;
    if (polls_ <= kSpins) return;
    if (polls_ <= kSpins + kYields) {
      std::this_thread::yield();
      return;
    }
    std::this_thread::sleep_for(sleep_);
    sleep_ = std::min(2 * sleep_, kLongestSleep);
  }
  void reset() { *this = Backoff(); }
  bool worth_a_look_at_the_clock() const { return polls_ > kSpins + kYields || polls_ % 64 == 0; }

 private:
  static constexpr int kSpins = 64;
  static constexpr int kYields = 2000;
  static constexpr std::chrono::microseconds kLongestSleep{250};
  int polls_ = 0;
  std::chrono::microseconds sleep_{10};
};

}  // namespace ds
