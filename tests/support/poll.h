// Waiting for a condition that no event announces, with a deadline.
#pragma once

#include <chrono>
#include <thread>

namespace ds::testing {

// True as soon as the condition holds; false when it still does not after the deadline.
template <typename Condition>
bool wait_until(Condition condition, std::chrono::milliseconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace ds::testing
