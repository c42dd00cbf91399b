// A binding as mpirun prints it: which cores of which sockets with which hardware threads, and a picture of the host.
#pragma once

#include <string>
#include <vector>

#include "topology/host.h"

namespace ds {

// "socket 0[core 1[hwt 0-1]]: [../BB][../..]": cores are numbered over the whole host, B is a bound thread, . another
// one. With `cpus` empty or all of the host: "is not bound (or bound to all available processors)", without a picture.
std::string binding_text(const Host& host, const std::vector<int>& cpus);

}  // namespace ds
