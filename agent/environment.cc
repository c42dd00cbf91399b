#include "agent/environment.h"

#include <unistd.h>

namespace ds {

Environment own_environment() {
  Environment result;
  for (char** variable = environ; variable && *variable; ++variable) set_one(result, *variable);
  return result;
}

void set_one(Environment& environment, std::string_view assignment) {
  const auto equals = assignment.find('=');
  if (equals != std::string_view::npos && equals > 0)
    environment[std::string(assignment.substr(0, equals))] = assignment.substr(equals + 1);
}

void set_all(Environment& environment, const std::vector<std::string>& assignments) {
  for (const auto& assignment : assignments) set_one(environment, assignment);
}

std::vector<std::string> assignments(const Environment& environment) {
  std::vector<std::string> result;
  result.reserve(environment.size());
  for (const auto& [name, value] : environment) result.push_back(name + "=" + value);
  return result;
}

std::string get_or(const Environment& environment, const std::string& name, const std::string& otherwise) {
  const auto found = environment.find(name);
  return found == environment.end() ? otherwise : found->second;
}

}  // namespace ds
