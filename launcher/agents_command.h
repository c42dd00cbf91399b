// dslaunch agents start | stop | list: agents that stay on the hosts for the next jobs of this user, so that those start
// without a login. docs/resident_agents.md.
#pragma once

#include <string>
#include <vector>

namespace ds {

class Console;

// `arguments`: what follows the word "agents". Returns the exit code: 0, or 75 when some host was not reached. Throws
// kUsage.
int agents_command(const std::vector<std::string>& arguments, Console& console);

}  // namespace ds
