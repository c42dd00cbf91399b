#include "agent/open_file_limit.h"

#include <sys/resource.h>

#include <cerrno>
#include <cstring>

namespace ds {

OpenFileLimit::OpenFileLimit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  before_ = now_ = limit.rlim_cur;
  if (limit.rlim_max == limit.rlim_cur) return;
  set_open_file_limit(limit.rlim_max);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  now_ = limit.rlim_cur;
}

OpenFileLimit::~OpenFileLimit() {
  if (now_ != before_) set_open_file_limit(before_);
}

std::string why_none_is_opened(int error) {
  rlimit limit{};
  if (error != EMFILE || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::strerror(error);
  return std::string(std::strerror(error)) + " (at most " + std::to_string(limit.rlim_cur) +
         "): a host's ranks need about four each: start with a higher \"ulimit -n\", or fewer ranks on that host";
}

void set_open_file_limit(uint64_t soft) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = soft;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace ds
