#include "launcher/job/slurm_kill_wait.h"

#include <sstream>

#include "agent/helper_process.h"
#include "topology/base/error.h"

namespace ds {

std::optional<std::chrono::seconds> kill_wait_in(const std::string& config) {
  std::istringstream lines(config);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, equals, unit;
    int64_t value = 0;
    if (words >> name >> equals >> value >> unit && name == "KillWait" && equals == "=" && unit == "sec" && value >= 0)
      return std::chrono::seconds(value);
  }
  return std::nullopt;
}

SlurmKillWait::SlurmKillWait(boost::asio::io_context& io) {
  try {
    HelperProcess::Events events{[this](const std::string& bytes) { told_ += bytes; }, {}};
    scontrol_ =
        std::make_unique<HelperProcess>(io, HelperCommand{{"scontrol", "show", "config"}, {}, true}, std::move(events));
  } catch (const Error&) {  // it is not installed here
  }
}

SlurmKillWait::~SlurmKillWait() = default;

}  // namespace ds
