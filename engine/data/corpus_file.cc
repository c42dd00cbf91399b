#include "engine/data/corpus_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "topology/base/error.h"

namespace ds {
namespace {

[[noreturn]] void cannot_read(const std::string& path, const std::string& reason) {
  throw Error(ErrorCode::kUsage, "data: cannot read: file=" + path + ": " + reason);
}

}  // namespace

CorpusFile::CorpusFile(const std::string& path) : path_(path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) cannot_read(path, std::strerror(errno));
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    cannot_read(path, S_ISDIR(info.st_mode) ? "is a folder" : "not a regular file");
  }
  size_ = static_cast<size_t>(info.st_size);
  void* memory = size_ == 0 ? nullptr : ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
  const int mmap_errno = errno;
  ::close(fd);
  if (memory == MAP_FAILED) cannot_read(path, std::strerror(mmap_errno));
  data_ = static_cast<const unsigned char*>(memory);
}

CorpusFile::~CorpusFile() { unmap(); }

CorpusFile::CorpusFile(CorpusFile&& other) noexcept
    : path_(std::move(other.path_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

CorpusFile& CorpusFile::operator=(CorpusFile&& other) noexcept {
  if (this == &other) return *this;
  unmap();
  path_ = std::move(other.path_);
  data_ = std::exchange(other.data_, nullptr);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

void CorpusFile::unmap() {
  if (data_ != nullptr) ::munmap(const_cast<unsigned char*>(data_), size_);
}

}  // namespace ds
