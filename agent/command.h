// What to run: a value. process.h runs it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/memory_binding.h"

namespace ds {

struct Command {
  std::string program;  // path of the executable; no search
  std::vector<std::string> argv;
  std::vector<std::string> env;  // NAME=value, the whole environment
  std::string folder;            // working directory; empty = ours
  std::vector<uint32_t> cpus;    // allowed logical CPUs; empty = ours
  MemoryBinding memory;
  int stdin_fd = -1;             // -1 = /dev/null
  int stdout_fd = -1;
  int stderr_fd = -1;
  int kept_fd = -1;              // survives exec under its own number
  bool dies_with_parent = true;  // SIGKILL when the thread that started it ends
};

}  // namespace ds
