#include "launcher/output/terminal_writer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace ds {
namespace {

// Two terminals are taken for one: it has several names.
bool one_reader(int a, int b) {
  if (::isatty(a) && ::isatty(b)) return true;
  struct stat first {}, second {};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

}  // namespace

TerminalWriter::TerminalWriter() {
  if (!one_reader(STDOUT_FILENO, STDERR_FILENO)) err_ = std::make_unique<WriterThread>();
}

void TerminalWriter::write(int fd, std::string_view text) {
  (fd == STDERR_FILENO && err_ ? *err_ : out_).write(fd, text);
}

int TerminalWriter::failure(int fd) const { return (fd == STDERR_FILENO && err_ ? *err_ : out_).failure(fd); }

size_t TerminalWriter::queued_bytes() const { return std::max(out_.queued_bytes(), err_ ? err_->queued_bytes() : 0); }

void TerminalWriter::when_room(const std::function<void()>& then) {
  const bool err_is_behind = err_ && err_->queued_bytes() > kRoomBytes;
  out_.when_below(kRoomBytes, err_is_behind ? nullptr : then);
  if (err_) err_->when_below(kRoomBytes, err_is_behind ? then : nullptr);
}

void TerminalWriter::wait_for_room() {
  out_.drain(kRoomBytes);
  if (err_) err_->drain(kRoomBytes);
}

void TerminalWriter::drain() {
  out_.drain();
  if (err_) err_->drain();
}

void TerminalWriter::set_patience(std::chrono::milliseconds patience) {
  out_.set_patience(patience);
  if (err_) err_->set_patience(patience);
}

}  // namespace ds
