#include "tests/collectives/contract.h"

namespace ds::contract {

CommunicatorOptions patient(int64_t piece_bytes) {
  CommunicatorOptions options;
  options.deadline = std::chrono::seconds(30);
  options.piece_bytes = piece_bytes;
  return options;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_reductions(cases);
  add_moves(cases);
  add_groups(cases);
  add_faults(cases);
  return cases;
}

}  // namespace ds::contract
