// The options of `dslaunch status|stop|resize|logs`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/options/options.h"

namespace ds {

// nullopt when the first argument is none of the four words. Throws kUsage listing every problem.
std::optional<Options> parse_subcommand(const std::vector<std::string>& arguments);

}  // namespace ds
