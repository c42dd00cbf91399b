#include "launcher/options/start_parameters.h"

#include <optional>

#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr int kMost = 1 << 20;

int count(const std::string& key, const std::string& value, int least) {
  const std::optional<int64_t> number = parse_int(value);
  if (!number || *number < least || *number > kMost)
    throw Error(ErrorCode::kUsage, "--mca " + key + " " + value + ": must be " + std::to_string(least) + " to " +
                                       std::to_string(kMost));
  return static_cast<int>(*number);
}

}  // namespace

bool take_start_parameter(const std::string& key, const std::string& value, StartParameters& parameters) {
  if (key == "plm_rsh_agent" || key == "plm_ssh_agent") {
    parameters.ssh = std::string(trim(split(value, ':')[0]));  // of several, mpirun takes the first that it finds
  } else if (key == "plm_rsh_num_concurrent" || key == "plm_ssh_num_concurrent") {
    parameters.limits.at_once = count(key, value, 1);
  } else if (key == "routed_radix" || key == "prte_routed_radix") {
    parameters.limits.fan_out = count(key, value, 0);
  } else if (key == "plm_rsh_no_tree_spawn" || key == "plm_ssh_no_tree_spawn") {
    if (value != "0" && value != "false") parameters.limits.fan_out = 0;
  } else {
    return false;
  }
  return true;
}

}  // namespace ds
