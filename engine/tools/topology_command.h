// dstool topology: this host, or those of a topology file, as placement sees them.
#pragma once

#include "engine/tools/command.h"

namespace ds {

Command topology_command();

}  // namespace ds
