#include "agent/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "agent/open_file_limit.h"
#include "topology/base/error.h"

namespace ds {

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorCode::kInternal, "cannot make a pipe: " + why_none_is_opened(errno));
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

}  // namespace ds
