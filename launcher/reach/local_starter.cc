// Starts the agent of this machine: a plain child.
#include "launcher/reach/agent_starter.h"

namespace ds {
namespace {

class LocalStarter : public AgentStarter {
 public:
  explicit LocalStarter(std::string program) : program_(std::move(program)) {}

  std::vector<AgentCommand> commands(const std::vector<Host>&, const std::vector<int>& which) const override {
    std::vector<AgentCommand> result;
    for (int host : which) {
      AgentCommand& one = result.emplace_back();
      one.command.argv = {program_};
      one.hosts = {host};
      one.on_this_machine = one.carries_frames = true;
    }
    return result;
  }

  HelperCommand sweep(const std::vector<Host>&, int, const std::string& job) const override {
    return {{program_, "--sweep", job}, {}, false};
  }

 private:
  std::string program_;
};

}  // namespace

std::unique_ptr<AgentStarter> local_starter(const std::string& program) {
  return std::make_unique<LocalStarter>(program);
}

}  // namespace ds
