// A TCP port that nobody listens on right now.
#pragma once

namespace ds {

// 0 when the machine has none. Another process may take it before it is used; the ports are chosen at random by the
// kernel, so that is rare.
int free_port();

}  // namespace ds
