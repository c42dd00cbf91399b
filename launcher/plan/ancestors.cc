#include "launcher/plan/ancestors.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include "agent/process_table.h"

namespace ds {
namespace {

std::string title_of(pid_t pid) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/cmdline");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

std::vector<std::string> titles_of_ancestors() {
  std::vector<std::string> titles;
  pid_t pid = ::getppid();
  while (pid > 1) {
    titles.push_back(title_of(pid));
    const auto process = process_info(pid);
    pid = process ? process->parent : 0;
  }
  return titles;
}

}  // namespace ds
