// dstool check: configuration files, before anything starts.
#pragma once

#include "engine/tools/command.h"

namespace ds {

Command check_command();

}  // namespace ds
