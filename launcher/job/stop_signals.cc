#include "launcher/job/stop_signals.h"

#include <sys/signalfd.h>

#include <csignal>

#include "agent/event_loop.h"

namespace ds {
namespace {

sigset_t set_of(const std::vector<int>& signals) {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : signals) sigaddset(&set, signal);
  return set;
}

}  // namespace

// A signal that is ignored would still reach a signalfd.
static bool ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

StopSignals::StopSignals(const std::vector<int>& signals) : signals_(signals) {
  std::erase_if(signals_, [](int signal) { return (signal == SIGHUP || signal == SIGQUIT) && ignored(signal); });
  sigset_t set = set_of(signals_);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  fd_.reset(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

StopSignals::~StopSignals() {
  watch_.reset();
  // What nobody took would act when it is unblocked, and end the process before its verdict is out.
  signalfd_siginfo late;
  while (::read(fd_.get(), &late, sizeof late) == sizeof late) continue;
  sigset_t set = set_of(signals_);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void StopSignals::start(boost::asio::io_context& io, std::function<void(int)> on_signal) {
  on_signal_ = std::move(on_signal);
  watch_ = std::make_unique<DescriptorWatch>(io, fd_.get());
  wait();
}

void StopSignals::stop() { watch_.reset(); }

void StopSignals::wait() {
  watch_->when_readable([this] {
    signalfd_siginfo info;
    std::vector<int> seen;
    while (::read(fd_.get(), &info, sizeof info) == sizeof info) seen.push_back(static_cast<int>(info.ssi_signo));
    wait();
    for (int signal : seen) on_signal_(signal);
  });
}

}  // namespace ds
