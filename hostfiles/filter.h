// Choosing hosts and slots of a cluster the way DeepSpeed's launcher does: --include, --exclude, --num_nodes, --num_gpus.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "topology/host.h"

namespace ds {

// Which host of the list a name means that is not in it, as only a resolver can tell; nullopt = none.
using OtherName = std::function<std::optional<size_t>(const std::string& name)>;

// NODE[@NODE...], NODE = host[:slot[,slot...]]; host may be a range "w[0-3]". At most one of the two is not empty.
// include keeps what is listed, exclude removes it; a bare host means all its slots; repeated hosts merge; hosts left
// without slots are dropped; order and everything else of the hosts stay; `slot_ids` and `slots` say what is left. A host
// of unknown slots can be taken whole or by slots (the host checks them later), but slots cannot be excluded from it.
// Throws kUsage: both given, unknown host or slot (naming what there is), malformed text, nothing left.
Cluster filter_hosts(const Cluster& cluster, std::string_view include, std::string_view exclude,
                     const OtherName& other_name = {});

// The first `count` hosts; throws kUsage when there are fewer.
Cluster first_hosts(const Cluster& cluster, int count);

// Slots 0 ... count-1 of every host; throws kUsage naming each host that has fewer.
Cluster first_slots(const Cluster& cluster, int count);

}  // namespace ds
