// Joining what the user says about a host with what the host says about itself.
#pragma once

#include "topology/host.h"

namespace ds {

namespace control {
class HostReport;
}

// Hardware and addresses from `description`; name, slots, port and user stay as the user gave them.
void describe_host(Host& host, const Host& description);

Host host_of_report(const control::HostReport& report);

}  // namespace ds
