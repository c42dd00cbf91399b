// The files that ranks' lines are appended to. A thread of its own writes them, so that a disk that hangs stops nothing
// but those who write.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "launcher/output/writer_thread.h"

namespace ds {

class OutputFile;

class LogFiles {
 public:
  // What waits for the disk before the ranks wait for it, and what is left of it when they go on.
  static constexpr size_t kFullBytes = 32u << 20, kRoomBytes = 16u << 20;

  LogFiles();
  ~LogFiles();  // returns when everything is written

  void create(const std::string& path);  // an empty file now; append() makes it too
  void append(const std::string& path, std::string_view data);
  bool is_full() const { return thread_ && thread_->queued_bytes() >= kFullBytes; }
  bool has_room() const { return !thread_ || thread_->queued_bytes() <= kRoomBytes; }
  void when_room(std::function<void()> then);  // as of WriterThread
  void drain();
  bool any_failure() const { return thread_ && thread_->any_failure(); }
  // What has gone wrong since the last call, one line a file: "cannot write PATH: reason".
  std::string new_problems();

 private:
  OutputFile& file(const std::string& path);

  std::map<std::string, std::unique_ptr<OutputFile>> files_;
  std::map<std::string, bool> told_;        // files whose problem was told
  std::unique_ptr<WriterThread> thread_;    // once there is something to write; ends before the files close
};

}  // namespace ds
