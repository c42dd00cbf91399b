// A pipe that no program we start inherits by accident.
#pragma once

#include "agent/file_descriptor.h"

namespace ds {

struct Pipe {
  FileDescriptor read, write;
};

Pipe make_pipe();  // throws kInternal

}  // namespace ds
