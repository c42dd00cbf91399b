// Where the threads of ranks stand, told by the kernel and then by a debugger's helper of this host (eu-stack, gdb).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/event_loop.h"

namespace ds {

class Channel;

struct TracedRank {
  uint32_t rank = 0;
  pid_t pid = 0;
};

class StackTraces {
 public:
  // `on_text` gets whole lines about a rank, all of a rank at once (a long text in pieces of 1 MiB).
  StackTraces(boost::asio::io_context& io, std::shared_ptr<Channel> channel,
              std::function<void(uint32_t rank, std::string lines)> on_text);
  ~StackTraces();

  // A few ranks at a time. `on_done` runs once, after the last one or at the limit; ranks that were not reached are told.
  void take(const std::vector<TracedRank>& ranks, std::chrono::milliseconds limit, std::function<void()> on_done);

 private:
  class Helper;
  void start_more();
  void ended(const Helper& helper);
  void finish();

  boost::asio::io_context& io_;
  std::shared_ptr<Channel> channel_;
  std::function<void(uint32_t, std::string)> on_text_;
  std::function<void()> on_done_;
  Timer limit_;
  std::deque<TracedRank> waiting_;
  std::vector<std::unique_ptr<Helper>> helpers_, finished_;
};

}  // namespace ds
