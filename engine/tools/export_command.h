// dstool export: a checkpoint's weights as a folder that transformers loads.
#pragma once

#include "engine/tools/command.h"

namespace ds {

Command export_command();

}  // namespace ds
