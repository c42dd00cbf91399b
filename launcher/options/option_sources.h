// Where options come from, the first that answers a question winning: the command line, the files that it names (--tune, --am,
// --app), its --mca parameters that mean options, the [launch] section of a train.cfg, the environment's OMPI_MCA_*.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/options/option_scan.h"

namespace ds {

// `defaults`: the words of [launch]. What is wrong goes to `problems`, what has no effect to `notes`. Throws kUsage when a file
// cannot be read or has malformed lines.
ScannedCommand options_from_everywhere(const std::vector<std::string>& arguments,
                                       const std::vector<std::string>& defaults,
                                       const std::map<std::string, std::string>& environment,
                                       std::vector<std::string>& problems, std::vector<std::string>& notes);

}  // namespace ds
