// Calling a dstool command in process.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "engine/tools/commands.h"

namespace ds::test {

struct ToolResult {
  int exit_code = 0;
  std::string out;
};

// Throws what the command throws.
inline ToolResult run_tool(const std::vector<std::string>& words) {
  std::ostringstream out;
  const int exit_code = run_command("dstool", dstool_commands(), words, out);
  return {exit_code, out.str()};
}

}  // namespace ds::test
