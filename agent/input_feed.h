// Writes what the user types to the stdin of one rank, without ever blocking.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agent/event_loop.h"
#include "agent/file_descriptor.h"

namespace ds {

class InputFeed {
 public:
  using OnTaken = std::function<void(uint64_t total_bytes)>;  // whenever nothing is queued any more

  InputFeed(boost::asio::io_context& io, FileDescriptor pipe, OnTaken on_taken);  // the process ignores SIGPIPE
  void write(std::string_view bytes);
  void end();  // closes the pipe once everything is written

 private:
  void write_some();
  void close();

  FileDescriptor pipe_;
  std::unique_ptr<DescriptorWatch> watch_;
  OnTaken on_taken_;
  std::string queue_;
  uint64_t total_ = 0;
  bool ending_ = false, waiting_ = false;
};

}  // namespace ds
