// The section [launch] of train.cfg: options of dslaunch that the command line may replace.
#pragma once

#include <string>
#include <vector>

namespace ds {

struct TrainConfig;

// The section as words of a command line: "--hostfile", "/a/hosts", "--oversubscribe". Paths are joined with the folder
// of the file; flags that are off are left out.
std::vector<std::string> launch_section_words(const TrainConfig& config);

}  // namespace ds
