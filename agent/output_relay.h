// Reads one output stream of one rank and passes it on in whole lines, or what there is of one after a while. It stops
// reading while the launcher has not taken what came before or the channel is full, so a rank that writes faster than
// that waits in its own write().
#pragma once

#include <cstdint>
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

  struct Options {
    std::shared_ptr<Channel> channel;
    OutputWindow* window = nullptr;  // borrowed; nullptr = none
    bool unfinished = false;  // a line that is not complete 100 ms after it began is passed on in pieces: prompts
  };
  OutputRelay(boost::asio::io_context& io, FileDescriptor pipe, Options options, OnLines on_lines);

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
  void watch_rest();

  FileDescriptor pipe_;
  std::unique_ptr<DescriptorWatch> watch_;
  Timer pause_, rest_timer_;
  Options options_;
  bool rest_is_timed_ = false;
  uint64_t bytes_read_ = 0;
  OnLines on_lines_;
  OutputLines lines_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for those who call back later
};

}  // namespace ds
