// Reads one output stream of one rank and passes it on in whole lines. It stops reading while the launcher has not taken
// what came before or the channel is full, so a rank that writes faster than that waits in its own write().
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/event_loop.h"
#include "agent/file_descriptor.h"
#include "agent/output_lines.h"

namespace ds {

class Channel;
class OutputWindow;

class OutputRelay {
 public:
  using OnLines = std::function<void(std::string lines, bool end)>;

  // `window` is borrowed; nullptr = none.
  OutputRelay(boost::asio::io_context& io, FileDescriptor pipe, std::shared_ptr<Channel> channel, OutputWindow* window,
              OnLines on_lines);

  // The rank is gone: passes on what the pipe holds now. The stream ends here if nobody else holds it open.
  void drain();
  // Passes on the rest and ends, whoever holds the pipe.
  void finish();
  bool open() const { return static_cast<bool>(pipe_); }

 private:
  void wait();
  bool may_read() const;
  bool read_once();  // false: nothing there now, or the end
  void pass_on(std::string lines, bool end);

  FileDescriptor pipe_;
  std::unique_ptr<DescriptorWatch> watch_;
  Timer pause_;
  std::shared_ptr<Channel> channel_;
  OutputWindow* window_;
  OnLines on_lines_;
  OutputLines lines_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for those who call back later
};

}  // namespace ds
