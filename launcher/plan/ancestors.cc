#include "launcher/plan/ancestors.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

namespace ds {
namespace {

std::string text_of(int pid, const std::string& file) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/" + file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// 0: none, or not to be seen. The name in parentheses may hold blanks and parentheses.
int parent_of(int pid) {
  const std::string stat = text_of(pid, "stat");
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(stat.substr(name_end + 1));
  std::string state;
  int parent = 0;
  rest >> state >> parent;
  return parent;
}

}  // namespace

std::vector<std::string> titles_of_ancestors() {
  std::vector<std::string> titles;
  for (int pid = ::getppid(); pid > 1; pid = parent_of(pid)) titles.push_back(text_of(pid, "cmdline"));
  return titles;
}

}  // namespace ds
