// dstool checkpoint list | show | verify | diff | prune.
#pragma once

#include "engine/tools/command.h"

namespace ds {

Command checkpoint_command();

}  // namespace ds
