// `dslaunch [options] train.cfg` and `dslaunch [options] program`: from options to the exit code.
#pragma once

#include "launcher/options/options.h"

namespace ds {

class Console;
class StopSignals;

// Throws ds::Error for what is wrong before anything was started.
int launch_command(Options options, Console& console, StopSignals& signals);

}  // namespace ds
