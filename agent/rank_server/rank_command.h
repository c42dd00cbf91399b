// From what the launcher wants of a rank to the command that is run, or why it cannot be run.
#pragma once

#include <string>

#include "agent/command.h"
#include "agent/environment.h"

namespace ds {

namespace control {
class RankSpec;
class StartGeneration;
}  // namespace control

struct RankCommand {
  Command command;
  int exit_code = 0;  // 2, 126, 127 with a problem
  std::string problem;
};

RankCommand rank_command(const control::StartGeneration& start, const control::RankSpec& rank,
                         Environment environment);

}  // namespace ds
