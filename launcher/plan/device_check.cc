#include "launcher/plan/device_check.h"

#include <set>

#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {

void check_device(const std::string& wanted, const LaunchPlan& plan) {
  if (wanted != "cuda") return;
  std::vector<std::string> without;
  std::set<size_t> seen;
  for (const RankPlace& place : plan.ranks) {
    const Host& host = plan.hosts[place.host];
    const bool described = !host.cores.empty();
    if (described && place.gpus.empty() && seen.insert(place.host).second) without.push_back(host.name);
  }
  if (!without.empty())
    throw Error(ErrorCode::kUsage,
                "train.device=cuda: no GPU on " + join(without, ", ") +
                    ": use auto or cpu, or other hosts (`dstool report` there says what is missing)");
}

}  // namespace ds
