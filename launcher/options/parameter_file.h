// Files of parameters that mpirun's --tune and --am name, as words of a command line.
#pragma once

#include <string>
#include <vector>

namespace ds {

// --tune: lines of "-x NAME[=value]" and "-mca key value", quotes as in a shell. Throws kUsage naming file and line.
std::vector<std::string> tune_file_words(const std::string& text, const std::string& file);

// --am: lines "key = value", as Open MPI's parameter files have them. Throws kUsage naming file and line.
std::vector<std::string> am_file_words(const std::string& text, const std::string& file);

}  // namespace ds
