#include "agent/environment.h"

#include <unistd.h>

namespace ds {

Environment own_environment() {
  Environment result;
  for (char** variable = environ; variable && *variable; ++variable) set_all(result, {*variable});
  return result;
}

void set_all(Environment& environment, const std::vector<std::string>& assignments) {
  for (const auto& assignment : assignments) {
    const auto equals = assignment.find('=');
    if (equals != std::string::npos && equals > 0)
      environment[assignment.substr(0, equals)] = assignment.substr(equals + 1);
  }
}

std::vector<std::string> assignments(const Environment& environment) {
  std::vector<std::string> result;
  for (const auto& [name, value] : environment) result.push_back(name + "=" + value);
  return result;
}

std::string get_or(const Environment& environment, const std::string& name, const std::string& otherwise) {
  const auto found = environment.find(name);
  return found == environment.end() ? otherwise : found->second;
}

}  // namespace ds
