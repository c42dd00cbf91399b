// What every backend must do: one body per promise of collectives/communicator.h, run by all ranks of a fresh world.
// Bodies check with EXPECT_… and never return early on one rank only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectives/communicator.h"

namespace ds::contract {

struct Case {
  std::string name;  // a sentence in PascalCase
  std::function<void(Communicator& world)> body;
  CommunicatorOptions options{};
};

// Deadline and piece size that fit tests: a lost message shows in seconds.
CommunicatorOptions patient(int64_t piece_bytes = 1 << 20);

void add_reductions(std::vector<Case>& cases);
void add_moves(std::vector<Case>& cases);
void add_groups(std::vector<Case>& cases);
void add_faults(std::vector<Case>& cases);
std::vector<Case> all_cases();

}  // namespace ds::contract
