#include "engine/checkpoint/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "topology/base/error.h"

namespace ds {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorCode::kCorrupt, "cannot read " + path + ": " + reason);
}

}  // namespace

InputFile::InputFile(const std::string& path) : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0) fail(path_, std::strerror(errno));
  struct stat status {};
  const bool known = ::fstat(fd_, &status) == 0;
  if (known && S_ISREG(status.st_mode)) {
    bytes_ = status.st_size;
    return;
  }
  const std::string reason = known ? "not a file" : std::strerror(errno);
  ::close(fd_);
  fail(path_, reason);
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), bytes_(other.bytes_) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void InputFile::read(int64_t offset, void* data, int64_t bytes) const {
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = ::pread(fd_, at, static_cast<size_t>(bytes), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, std::strerror(errno));
    if (got == 0) fail(path_, "ends at byte " + std::to_string(offset));
    at += got;
    offset += got;
    bytes -= got;
  }
}

}  // namespace ds
