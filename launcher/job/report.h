// What a person reads at the end of a failed job: the cause, advice, the rank's last lines, and the JSON line last.
#pragma once

#include <string>

#include "launcher/output/verdict.h"

namespace ds {

class Console;

// Nothing for a verdict of 0. `last_lines`: of the rank the verdict names, "" = none to show.
void report(Console& console, const Verdict& verdict, const std::string& last_lines);

}  // namespace ds
