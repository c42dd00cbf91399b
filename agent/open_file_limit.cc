#include "agent/open_file_limit.h"

#include <sys/resource.h>

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

void set_open_file_limit(uint64_t soft) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = soft;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace ds
