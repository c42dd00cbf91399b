// Writes to stdout and stderr from threads of their own, so that a reader that pauses (a pager, a stopped terminal)
// never stops the beats between launcher and agents. Where both are one terminal or one file, order over both is kept;
// else each goes on while the other is not read.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "launcher/output/writer_thread.h"

namespace ds {

class TerminalWriter {
 public:
  // What waits for a reader before those who write wait for him, or leave lines out (docs/output.md); and what is left
  // of it when they go on.
  static constexpr size_t kFullBytes = 16u << 20, kRoomBytes = 8u << 20;

  TerminalWriter();

  void write(int fd, std::string_view text);
  bool one_stream() const { return err_ == nullptr; }  // stdout and stderr are the same
  bool is_full() const { return queued_bytes() >= kFullBytes; }
  bool has_room() const { return queued_bytes() <= kRoomBytes; }
  int failure(int fd) const;  // errno of the first write to it that failed, 0 = none
  bool is_idle() const { return queued_bytes() == 0; }
  // Calls `then` once, from another thread or at once, when there may be room again: ask. nullptr takes it back.
  void when_room(const std::function<void()>& then);
  void wait_for_room();
  void drain();  // blocks until everything queued has been written, or its reader has closed or was given up
  // Who reads nothing for so long is not waited for at the end any more.
  void set_patience(std::chrono::milliseconds patience);

 private:
  size_t queued_bytes() const;

  WriterThread out_;
  std::unique_ptr<WriterThread> err_;  // nullptr: both go through out_
};

}  // namespace ds
