// Saves checkpoints of several threads in a loop until somebody kills it. Arguments: folder, first step, how many.
#include <cstdlib>
#include <iostream>

#include "tests/engine/checkpoint/support.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int64_t first = std::atoll(argv[2]), count = std::atoll(argv[3]);
  const auto files = ds::real_file_system();
  for (int64_t step = first; step < first + count; ++step) {
    // Each step is saved twice, so that replacing what `latest` names is part of the game.
    for (int again = 0; again < 2; ++again) {
      ds::test::save_small(argv[1], 3, step, static_cast<int>(step), 2, files.get());
      std::cout << "saved " << step << std::endl;
    }
  }
  return 0;
}
