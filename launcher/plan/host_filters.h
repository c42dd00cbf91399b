// --include, --exclude, --num_nodes and --num_gpus on the hosts of a job, of which this machine is known by all its names
// and others may have slots that only they can tell.
#pragma once

#include "topology/host.h"

namespace ds {

struct HostSource;
struct Options;

// Filters hosts.cluster; hosts whose slots the filter had to believe are in hosts.on_trust then. Throws kUsage.
void apply_filters(const Options& options, const Host& this_machine, HostSource& hosts);

// Throws kUsage naming each host on trust that has told its hardware and lacks slots that were asked of it.
void check_slots_on_trust(const HostSource& hosts, const Options& options);

}  // namespace ds
