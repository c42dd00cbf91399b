// The processes above this one, as /proc shows them.
#pragma once

#include <string>
#include <vector>

namespace ds {

// Their command lines, which a process may replace by a title of its own; the parent first. Ends where one is hidden.
std::vector<std::string> titles_of_ancestors();

}  // namespace ds
