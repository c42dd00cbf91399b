// SIGTERM and SIGINT: finish the step and end. SIGUSR1: the same, and save first (agent/contract.h).
#pragma once

namespace ds {

enum class StopRequest { kNone = 0, kStop = 1, kSaveAndStop = 2 };

// Installs the handlers; the process's handlers are the one piece of global state that signals force on us.
void watch_stop_signals();
StopRequest stop_requested();

}  // namespace ds
