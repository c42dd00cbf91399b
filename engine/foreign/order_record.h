// The order of a rank's collective actions in its first step, which every later step must follow: a rank that departs
// gets an error instead of a hang. Pure values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ds {

class OrderRecord {
 public:
  // An action in the current step, e.g. +unit for a gather, -unit - 1 for a reduction. While recording it is added;
  // afterwards a difference from the record throws kInternal naming position, expected and actual action.
  void act(int action, const std::vector<std::string>& unit_names);
  // Ends the step; the first one fixes the record. Later a step that is shorter than the record throws.
  void end_step(const std::vector<std::string>& unit_names);
  bool recording() const { return recording_; }
  uint64_t hash() const;  // of the record

 private:
  std::vector<int> actions_;
  size_t position_ = 0;
  bool recording_ = true;
};

}  // namespace ds
