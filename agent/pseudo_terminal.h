// A terminal for the stdout of a program: C and Python write each line as it is complete then, not blocks of some
// kilobytes, of which a program that is killed takes the last one along.
#pragma once

#include <optional>

#include "agent/pipe.h"

namespace ds {

// Read end: its master side; write end: a terminal that passes bytes on unchanged, has no echo and sends no signals.
// Reading fails with EIO when nobody has the terminal open any more. nullopt where the system gives no more of them: a
// pipe must do then.
std::optional<Pipe> make_pseudo_terminal();

}  // namespace ds
