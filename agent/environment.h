// An environment as a value: NAME=value lists <-> maps.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ds {

using Environment = std::map<std::string, std::string>;

Environment own_environment();
void set_one(Environment& environment, std::string_view assignment);
void set_all(Environment& environment, const std::vector<std::string>& assignments);  // NAME=value; others are ignored
std::vector<std::string> assignments(const Environment& environment);
std::string get_or(const Environment& environment, const std::string& name, const std::string& otherwise);

}  // namespace ds
