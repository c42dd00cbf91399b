// One call of the fuzz target at a time; an input that kills the program or takes too long is kept in a file.
#pragma once

#include <chrono>
#include <string>

namespace ds::fuzz {

// How failures are told: prints what happened, writes the input to `failure_file` and names that file on stderr, exits
// with a status other than 0. A failure is a signal, a report of a sanitizer, an exception, an input that takes more
// than `deadline` of processor time, or the process more than 2 GiB of memory. To be called once, before the first
// guarded_run.
void guard(const std::string& failure_file, std::chrono::seconds deadline);

void guarded_run(const std::string& input) noexcept;  // an exception is a failure too

}  // namespace ds::fuzz
