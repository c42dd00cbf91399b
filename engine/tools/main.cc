// dstool: everything that is not launching. Offline, one process.
#include <iostream>

#include "engine/tools/commands.h"
#include "engine/train/failure_text.h"
#include "topology/base/error.h"
#include "topology/base/standard_streams.h"

int main(int argc, char** argv) {
  ds::open_standard_streams();
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    const int result = ds::run_command("dstool", ds::dstool_commands(), words, std::cout);
    std::cout.flush();
    return std::cout ? result : ds::kToolFinding;
  } catch (const ds::Error& error) {
    std::cerr << "dstool: " << error.what() << "\n";
    return error.code() == ds::ErrorCode::kUsage ? ds::kToolUsage : ds::kToolFinding;
  } catch (const std::exception& error) {
    std::cerr << "dstool: " << ds::failure_text(error) << "\n";
    return ds::kToolFinding;
  }
}
