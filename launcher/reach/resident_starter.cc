// Starts agents through resident agents that are on the hosts already: one local process per host stands for its ssh.
#include "launcher/reach/agent_starter.h"

namespace ds {
namespace {

class ResidentStarter : public AgentStarter {
 public:
  ResidentStarter(std::string program, std::vector<std::string> records)
      : program_(std::move(program)), records_(std::move(records)) {}

  std::vector<AgentCommand> commands(const std::vector<Host>&, const std::vector<int>& which) const override {
    std::vector<AgentCommand> result;
    for (int host : which) {
      AgentCommand& one = result.emplace_back();
      one.command = enter(host);
      one.hosts = {host};
      one.has_other_way = true;
    }
    return result;
  }

  HelperCommand sweep(const std::vector<Host>&, int host, const std::string& job) const override {
    HelperCommand command = enter(host);
    command.argv.insert(command.argv.end(), {"--sweep", job});
    return command;
  }

 private:
  HelperCommand enter(int host) const {
    HelperCommand command;
    command.argv = {program_, "--enter", records_[host]};
    command.dies_with_parent = true;
    return command;
  }

  std::string program_;
  std::vector<std::string> records_;
};

}  // namespace

std::unique_ptr<AgentStarter> resident_starter(const std::string& program, const std::vector<std::string>& records) {
  return std::make_unique<ResidentStarter>(program, records);
}

}  // namespace ds
