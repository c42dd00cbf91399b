// The table of dstool's commands.
#pragma once

#include <vector>

#include "engine/tools/command.h"

namespace ds {

std::vector<Command> dstool_commands();

}  // namespace ds
