// A program that runs on one host of the test bed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ds::testing {

struct CommandOptions {
  std::map<std::string, std::string> environment;  // added to PATH, HOME, USER, LANG; nothing else is inherited
  std::string folder = "/";
  std::string input = "/dev/null";
};

class HostCommand {
 public:
  // Starts argv in a session of its own, in the namespaces `kinds` of the process `host`; its output goes to two files
  // that begin with `output_stem`. Killed (not its children: they become the host's orphans, as in life) when this
  // object or the calling process goes.
  HostCommand(pid_t host, const std::vector<std::string>& kinds, const std::vector<std::string>& argv,
              const CommandOptions& options, const std::string& output_stem);
  ~HostCommand();
  HostCommand(HostCommand&& other) noexcept;
  HostCommand& operator=(HostCommand&&) = delete;

  // Exit code, or 128 + signal; nullopt when it still runs at the deadline.
  std::optional<int> wait(std::chrono::milliseconds deadline);
  bool running() { return !wait(std::chrono::milliseconds(0)); }
  void signal(int number);
  pid_t pid() const { return pid_; }  // from outside
  std::string out() const;
  std::string err() const;

 private:
  std::string output_stem_;
  pid_t keeper_ = -1, pid_ = -1;
  std::optional<int> code_;
};

}  // namespace ds::testing
