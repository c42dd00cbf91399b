// What a host says about itself, as a value.
#pragma once

#include "topology/host.h"

namespace ds {

namespace control {
class HostReport;
}

Host host_of_report(const control::HostReport& report);

}  // namespace ds
