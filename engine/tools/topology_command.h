// dstool topology: this host as placement sees it.
#pragma once

#include "engine/tools/command.h"

namespace ds {

Command topology_command();

}  // namespace ds
