// Stands in for ssh: a login on this machine that, as sshd does, gives the agent an environment of its own. Hosts are
// named by addresses that no machine has.
#pragma once

#include <string>

#include "tests/launcher/temporary_folder.h"

namespace ds::testing {

inline constexpr const char* kElsewhere = "198.51.100.1";  // RFC 5737: for documentation
inline constexpr const char* kElsewhereToo = "198.51.100.2";

// The path of a script for --ssh; `before`: what it does first ("sleep 300", "echo noise").
inline std::string fake_login(const TemporaryFolder& folder, const std::string& before = ":") {
  return folder.program("login", "#!/bin/sh\n" + before + "\nwhile [ $# -gt 1 ]; do shift; done\n"
                                 "exec env -i PATH=\"$PATH\" HOME=/ DSLAUNCH_TEST_MARK=\"$DSLAUNCH_TEST_MARK\" "
                                 "sh -c \"$1\"\n");
}

}  // namespace ds::testing
