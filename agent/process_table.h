// What /proc says about the processes of this host. Identity is pid + start time: a pid alone may be someone else by
// now.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ds {

struct ProcessInfo {
  pid_t pid = 0;
  pid_t parent = 0;
  uint64_t start_time = 0;  // clock ticks since boot
  char state = '?';         // Z = zombie
  std::string name;
};

std::optional<ProcessInfo> parse_stat(const std::string& text);  // the content of /proc/PID/stat
std::optional<ProcessInfo> process_info(pid_t pid);
std::vector<ProcessInfo> all_processes();

// Bytes it has read and written so far by system calls and to disks; 0 where that is not told.
uint64_t bytes_moved(pid_t pid);
uint64_t parse_io(const std::string& text);  // the content of /proc/PID/io

// The environment a process was started with, each variable between zero bytes; of processes of other users: none.
std::string start_environment(pid_t pid);
bool holds(const std::string& environment, const std::string& variable);  // `NAME=value`
bool started_with(pid_t pid, const std::string& variable);

// Everything below `root`, without it.
std::vector<ProcessInfo> descendants(const std::vector<ProcessInfo>& all, pid_t root);

// Sends the signal if the pid still is that process.
void signal_exactly(const ProcessInfo& process, int number);

}  // namespace ds
