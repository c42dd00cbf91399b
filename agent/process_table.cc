#include "agent/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <set>

#include "agent/file_descriptor.h"

namespace ds {

static std::string read_proc_file(pid_t pid, const char* name) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char bytes[4096];
  ssize_t n;
  while (file && (n = read(file.get(), bytes, sizeof bytes)) > 0) text.append(bytes, static_cast<size_t>(n));
  return text;
}

// The name stands in parentheses and may hold any character, also ")": the last one ends it.
std::optional<ProcessInfo> parse_stat(const std::string& text) {
  const auto open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  ProcessInfo info;
  info.pid = static_cast<pid_t>(std::strtol(text.c_str(), nullptr, 10));
  info.name = text.substr(open + 1, close - open - 1);
  constexpr int kState = 3, kParent = 4, kStartTime = 22;  // numbers of the fields; the name is 2
  size_t at = close;
  for (int field = kState; field <= kStartTime; ++field) {
    at = text.find(' ', at);
    if (at == std::string::npos || ++at >= text.size()) return std::nullopt;
    if (field == kState) info.state = text[at];
    if (field == kParent) info.parent = static_cast<pid_t>(std::strtol(text.c_str() + at, nullptr, 10));
    if (field == kStartTime) info.start_time = std::strtoull(text.c_str() + at, nullptr, 10);
  }
  if (info.pid <= 0) return std::nullopt;
  return info;
}

std::optional<ProcessInfo> process_info(pid_t pid) { return parse_stat(read_proc_file(pid, "stat")); }

std::vector<ProcessInfo> all_processes() {
  std::vector<ProcessInfo> result;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    char* end = nullptr;
    const long pid = std::strtol(entry->d_name, &end, 10);
    if (pid <= 0 || *end) continue;
    if (auto info = process_info(static_cast<pid_t>(pid))) result.push_back(std::move(*info));
  }
  return result;
}

uint64_t parse_io(const std::string& text) {
  uint64_t sum = 0;
  for (const char* name : {"rchar: ", "wchar: ", "\nread_bytes: ", "\nwrite_bytes: "})
    if (const auto at = text.find(name); at != std::string::npos)
      sum += std::strtoull(text.c_str() + at + std::char_traits<char>::length(name), nullptr, 10);
  return sum;
}

uint64_t bytes_moved(pid_t pid) { return parse_io(read_proc_file(pid, "io")); }

std::string start_environment(pid_t pid) { return '\0' + read_proc_file(pid, "environ"); }

bool holds(const std::string& environment, const std::string& variable) {
  return environment.find('\0' + variable + '\0') != std::string::npos;
}

bool started_with(pid_t pid, const std::string& variable) { return holds(start_environment(pid), variable); }

std::vector<ProcessInfo> descendants(const std::vector<ProcessInfo>& all, pid_t root) {
  std::set<pid_t> family{root};
  std::vector<ProcessInfo> result;
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& process : all) {
      if (family.count(process.pid) || !family.count(process.parent)) continue;
      family.insert(process.pid);
      result.push_back(process);
      grown = true;
    }
  }
  return result;
}

void signal_exactly(const ProcessInfo& process, int number) {
  const FileDescriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
  const auto now = pidfd ? process_info(process.pid) : std::nullopt;
  if (now && now->start_time == process.start_time) syscall(SYS_pidfd_send_signal, pidfd.get(), number, nullptr, 0);
}

}  // namespace ds
