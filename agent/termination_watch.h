// SIGTERM as an event of the io_context.
#pragma once

#include <memory>

#include "agent/event_loop.h"
#include "agent/file_descriptor.h"

namespace ds {

class TerminationWatch {
 public:
  // Blocks SIGTERM for the calling thread; children started by process.h get it back.
  TerminationWatch(boost::asio::io_context& io, Action on_terminate);

 private:
  FileDescriptor signals_;
  std::unique_ptr<DescriptorWatch> watch_;
};

}  // namespace ds
