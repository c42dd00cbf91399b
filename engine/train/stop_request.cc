#include "engine/train/stop_request.h"

#include <csignal>
#include <initializer_list>

namespace ds {
namespace {

volatile std::sig_atomic_t requested = 0;

void on_signal(int signal) {
  const int wanted = signal == SIGUSR1 ? 2 : 1;
  if (requested < wanted) requested = wanted;
}

}  // namespace

void watch_stop_signals() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaction(signal, &action, nullptr);
}

StopRequest stop_requested() { return static_cast<StopRequest>(requested); }

}  // namespace ds
