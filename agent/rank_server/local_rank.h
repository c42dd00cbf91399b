// One rank on this host: its process, the two output streams, its stdin, its memory block.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/command.h"
#include "agent/input_feed.h"
#include "agent/output_relay.h"
#include "agent/process.h"
#include "agent/progress_sampler.h"
#include "agent/rank_block.h"

namespace ds {

class Channel;
class OutputWindow;

namespace control {
class RankExited;
}

class LocalRank {
 public:
  struct Options {
    uint32_t generation = 0;
    uint32_t rank = 0;
    bool merge_stderr = false;  // stderr becomes part of stdout
    bool takes_input = false;   // else its stdin is /dev/null
    bool terminal = false;      // its stdout is one
    bool unfinished = false;    // lines are passed on before they are complete if that takes a while
    std::shared_ptr<Channel> channel;
    OutputWindow* output_window = nullptr;  // of all ranks of the host; borrowed
  };

  LocalRank(boost::asio::io_context& io, Options options, std::unique_ptr<RankBlockFile> block);

  // Starts the command with its streams put in; throws kInternal. From any thread that lives as long as the rank should.
  void start(Command command);
  // After that: passes output on. `on_exit` runs once, after the last output that was in the pipes has been passed on.
  void watch(std::function<void(LocalRank&)> on_exit);
  bool started() const { return process_ != nullptr; }
  bool running() const { return process_ && process_->running(); }
  const Process& process() const { return *process_; }
  uint32_t rank() const { return options_.rank; }
  RankBlockFile& block() { return *block_; }
  ProgressSampler& sampler() { return sampler_; }

  void input(std::string_view data, bool end);
  void finish_output();  // closes the streams even if a process that outlived the rank holds them
  void fill_exit(control::RankExited& exited) const;  // what the process and the block say

 private:
  void report_input(uint64_t bytes);
  std::unique_ptr<OutputRelay> relay(FileDescriptor pipe, bool is_stderr);

  boost::asio::io_context& io_;
  Options options_;
  std::unique_ptr<RankBlockFile> block_;
  ProgressSampler sampler_;
  std::unique_ptr<Process> process_;
  FileDescriptor out_, error_, in_;  // our ends, until watch()
  std::unique_ptr<OutputRelay> stdout_, stderr_;
  std::unique_ptr<InputFeed> stdin_;
};

}  // namespace ds
