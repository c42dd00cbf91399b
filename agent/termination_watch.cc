#include "agent/termination_watch.h"

#include <sys/signalfd.h>

#include <csignal>
#include <utility>

#include "topology/base/error.h"

namespace ds {

TerminationWatch::TerminationWatch(boost::asio::io_context& io, Action on_terminate) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_) throw Error(ErrorCode::kInternal, "agent: no signalfd");
  watch_ = std::make_unique<DescriptorWatch>(io, signals_.get());
  watch_->when_readable(std::move(on_terminate));
}

}  // namespace ds
