#include "engine/checkpoint/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "topology/base/error.h"

namespace ds {

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  int reason = fd < 0 ? errno : 0;
  struct stat status {};
  if (reason == 0 && ::fstat(fd, &status) != 0) reason = errno;
  if (reason == 0 && S_ISDIR(status.st_mode)) reason = EISDIR;
  if (reason == 0 && status.st_size > 0) {
    void* data = ::mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) {
      reason = errno;
    } else {
      data_ = static_cast<std::byte*>(data);
      bytes_ = status.st_size;
    }
  }
  if (fd >= 0) ::close(fd);
  if (reason != 0) throw Error(ErrorCode::kUsage, "cannot read " + path + ": " + std::strerror(reason));
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(data_, static_cast<size_t>(bytes_));
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace ds
