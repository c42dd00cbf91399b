// dstool report: what this build and machine have.
#pragma once

#include "engine/tools/command.h"

namespace ds {

Command report_command();

}  // namespace ds
