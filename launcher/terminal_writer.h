// Writes to stdout and stderr from a thread of its own, so that a reader that pauses (a pager, a stopped terminal)
// never stops the beats between launcher and agents. Order over both streams is kept.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace ds {

class TerminalWriter {
 public:
  TerminalWriter();
  ~TerminalWriter();  // writes what is queued, as long as the reader takes it

  void write(int fd, std::string text);
  // Blocks until everything queued has been written or its reader has closed.
  void drain();

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::pair<int, std::string>> queue_;
  bool writing_ = false;
  std::jthread thread_;  // last: starts when everything else is there
};

}  // namespace ds
