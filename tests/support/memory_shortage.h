// A real shortage of memory in which the kernel kills one chosen process: it is put into a memory control group of its own,
// which then is filled.
#pragma once

#include <sys/types.h>

#include <string>

namespace ds::testing {

class MemoryShortage {
 public:
  // "" when such a group can be made here; else what is missing.
  static std::string why_not();

  MemoryShortage();   // throws ds::Error
  ~MemoryShortage();  // all that is left in the group is killed

  // The kernel's out-of-memory killer ends that process: returns when it has. Throws ds::Error kDeadline.
  void hit(pid_t pid);

 private:
  std::string group_;
};

}  // namespace ds::testing
