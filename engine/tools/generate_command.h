// dstool generate: text from an exported folder or a checkpoint.
#pragma once

#include "engine/tools/command.h"

namespace ds {

Command generate_command();

}  // namespace ds
