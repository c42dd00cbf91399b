// Writes what the user types to the stdin of one rank, without ever blocking.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agent/event_loop.h"
#include "agent/file_descriptor.h"

namespace ds {

class InputFeed {
 public:
  InputFeed(boost::asio::io_context& io, FileDescriptor pipe);  // the process ignores SIGPIPE
  void write(std::string_view bytes);
  void end();  // closes the pipe once everything is written
  size_t queued_bytes() const { return queue_.size(); }

 private:
  void write_some();
  void close();

  FileDescriptor pipe_;
  std::unique_ptr<DescriptorWatch> watch_;
  std::string queue_;
  bool ending_ = false, waiting_ = false;
};

}  // namespace ds
