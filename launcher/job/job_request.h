// `dslaunch status`, `stop` and `logs`: finding a job and talking to its launcher.
#pragma once

#include "launcher/options/options.h"

namespace ds {

class Console;

// Each returns an exit code or throws ds::Error.
int status_command(const Options& options, Console& console);
int stop_command(const Options& options, Console& console);
int logs_command(const Options& options, Console& console);

}  // namespace ds
