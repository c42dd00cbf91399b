// [train] device = cuda against what is known of the hosts, before any rank starts.
#pragma once

#include <string>

#include "launcher/plan/launch_plan.h"

namespace ds {

// Throws kUsage naming every host whose hardware is known and that has no GPU for a rank placed there. Hosts that have
// not been described yet pass; the ranks themselves ask again.
void check_device(const std::string& wanted, const LaunchPlan& plan);

}  // namespace ds
