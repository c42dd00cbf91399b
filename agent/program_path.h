// Finds a program as mpirun would, with the shell's verdict when there is none.
#pragma once

#include <string>

namespace ds {

struct ProgramPath {
  std::string path;     // absolute or relative to the working directory; empty = cannot be run
  int exit_code = 0;    // 126 not executable, 127 not found
  std::string problem;  // "PATH: reason"
};

// `folder`: working directory of the program, for names with a slash; `search_path`: value of PATH, for the others, which
// are looked for in `folder` too when they are not there, as mpirun does.
ProgramPath find_program(const std::string& name, const std::string& folder, const std::string& search_path);

}  // namespace ds
