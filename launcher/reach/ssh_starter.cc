// Starts agents by one ssh per host. Host keys and logins are the user's policy; nothing is ever asked.
#include <sstream>

#include "launcher/reach/agent_starter.h"

namespace ds {
namespace {

class SshStarter : public AgentStarter {
 public:
  SshStarter(const std::string& ssh, std::string program) : program_(std::move(program)) {
    std::istringstream words(ssh);
    for (std::string word; words >> word;) ssh_.push_back(word);
    if (ssh_.empty()) ssh_.push_back("ssh");
  }

  std::vector<AgentCommand> commands(const std::vector<Host>& hosts, const std::vector<int>& which) const override {
    std::vector<AgentCommand> result;
    for (int host : which) {
      AgentCommand& one = result.emplace_back();
      one.command = to_host(hosts[host], 10, "exec " + shell_quote(program_));
      one.hosts = {host};
      one.carries_frames = true;
    }
    return result;
  }

  HelperCommand sweep(const std::vector<Host>& hosts, int host, const std::string& job) const override {
    return to_host(hosts[host], 3, "exec " + shell_quote(program_) + " --sweep " + shell_quote(job));
  }

 private:
  HelperCommand to_host(const Host& host, int connect_seconds, const std::string& remote) const {
    HelperCommand command;
    command.argv = ssh_;
    for (const char* word : {"-T", "-x", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=5", "-o"})
      command.argv.push_back(word);
    command.argv.push_back("ConnectTimeout=" + std::to_string(connect_seconds));
    if (host.port) command.argv.insert(command.argv.end(), {"-p", std::to_string(host.port)});
    if (!host.user.empty()) command.argv.insert(command.argv.end(), {"-l", host.user});
    command.argv.insert(command.argv.end(), {host.name, remote});
    command.dies_with_parent = true;
    return command;
  }

  std::vector<std::string> ssh_;
  std::string program_;
};

}  // namespace

std::string shell_quote(const std::string& word) {
  std::string quoted = "'";
  for (char c : word) {
    if (c == '\'') quoted += "'\\''";
    else quoted += c;
  }
  return quoted + "'";
}

std::unique_ptr<AgentStarter> ssh_starter(const std::string& ssh, const std::string& program) {
  return std::make_unique<SshStarter>(ssh, program);
}

}  // namespace ds
