// How a rank waits: a few polls at full speed, then it offers its core to others, then it sleeps in growing steps.
// Ranks may outnumber cores; one that spins keeps the one it waits for from running.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace ds {

class Backoff {
 public:
  using Clock = std::chrono::steady_clock;

  void pause() {
    if (++polls_ <= kSpins) return;
    if (Clock::now() - start_ < kYielding) {  // over at once when somebody else wants the core and gets it
      std::this_thread::yield();
      return;
    }
    std::this_thread::sleep_for(sleep_);
    sleep_ = std::min(2 * sleep_, kLongestSleep);
  }
  void reset() { *this = Backoff(); }
  Clock::duration waited() const { return polls_ <= kSpins ? Clock::duration::zero() : Clock::now() - start_; }

 private:
  static constexpr int kSpins = 64;
  static constexpr std::chrono::microseconds kYielding{300};
  static constexpr std::chrono::microseconds kLongestSleep{250};
  Clock::time_point start_ = Clock::now();  // of the silence
  int polls_ = 0;
  std::chrono::microseconds sleep_{10};
};

}  // namespace ds
