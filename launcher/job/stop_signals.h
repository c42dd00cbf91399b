// Signals to the launcher as events on its io_context.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "agent/file_descriptor.h"

namespace boost::asio {
class io_context;
}

namespace ds {

class DescriptorWatch;

class StopSignals {
 public:
  // Blocks the signals in the calling thread; make it before any other thread. SIGPIPE is ignored from then on. A SIGHUP
  // (nohup) or SIGQUIT (`... &` in a script) that is ignored already stays so. SIGABRT may be among them: one that is sent
  // is an event, abort() unblocks its own and ends the process.
  explicit StopSignals(const std::vector<int>& signals);
  ~StopSignals();  // drops what nobody took and unblocks them: what comes then has its usual effect

  void start(boost::asio::io_context& io, std::function<void(int signal)> on_signal);
  void stop();

 private:
  void wait();

  std::vector<int> signals_;
  FileDescriptor fd_;
  std::unique_ptr<DescriptorWatch> watch_;
  std::function<void(int)> on_signal_;
};

}  // namespace ds
