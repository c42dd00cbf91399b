#include "agent/pipe.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "topology/base/error.h"

namespace ds {

static std::string advice(int error) {
  rlimit limit{};
  if (error != EMFILE || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return "";
  return " (at most " + std::to_string(limit.rlim_cur) +
         "): a host's ranks need about four each: start with a higher \"ulimit -n\", or fewer ranks on that host";
}

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorCode::kInternal, std::string("cannot make a pipe: ") + std::strerror(errno) + advice(errno));
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

}  // namespace ds
