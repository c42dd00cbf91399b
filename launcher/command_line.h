// The program dslaunch without its main: arguments in, exit code out.
#pragma once

#include <string>
#include <vector>

namespace ds {

int run_dslaunch(const std::vector<std::string>& arguments);

}  // namespace ds
