#include "engine/checkpoint/file_system.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "topology/base/error.h"

namespace ds {
namespace {

[[noreturn]] void fail(const std::string& operation, const std::string& path, int reason) {
  throw Error(ErrorCode::kInternal, operation + " " + path + ": " + std::strerror(reason));
}

class RealOutputFile : public OutputFile {
 public:
  explicit RealOutputFile(const std::string& path)
      : path_(path), fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail("create", path_, errno);
  }
  ~RealOutputFile() override {
    if (fd_ >= 0) ::close(fd_);
  }

  void append(const void* data, size_t bytes) override {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t written = ::write(fd_, at, bytes);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("write", path_, errno);
      if (written == 0) fail("write", path_, ENOSPC);
      at += written;
      bytes -= static_cast<size_t>(written);
    }
  }

  void finish() override {
    if (::fsync(fd_) != 0) fail("fsync", path_, errno);
    const int closed = ::close(fd_);
    fd_ = -1;
    if (closed != 0) fail("close", path_, errno);
  }

 private:
  std::string path_;
  int fd_;
};

class RealFileSystem : public FileSystem {
 public:
  std::unique_ptr<OutputFile> create(const std::string& path) override {
    return std::make_unique<RealOutputFile>(path);
  }

  void create_folder(const std::string& path) override {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) fail("create folder", path, error.value());
  }

  void rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) fail("rename " + from + " to", to, errno);
  }

  bool exchange(const std::string& a, const std::string& b) override {
    // By number, because older C libraries have no wrapper for it.
    if (::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return true;
    if (errno == EINVAL || errno == ENOSYS || errno == EXDEV || errno == EOPNOTSUPP) return false;
    fail("exchange " + a + " and", b, errno);
  }

  void sync_folder(const std::string& path) override {
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) fail("open folder", path, errno);
    const int result = ::fsync(fd);
    const int reason = errno;
    ::close(fd);
    // Some network file systems refuse fsync on folders; there, names are on the server already.
    if (result != 0 && reason != EINVAL && reason != EROFS) fail("fsync folder", path, reason);
  }

  void remove_all(const std::string& path) override {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error) fail("remove", path, error.value());
  }
};

}  // namespace

std::unique_ptr<FileSystem> real_file_system() { return std::make_unique<RealFileSystem>(); }

void replace_file(FileSystem& files, const std::string& path, const std::string& contents, const std::string& suffix) {
  const std::string temporary = path + ".tmp-" + suffix;
  try {
    auto file = files.create(temporary);
    file->append(contents.data(), contents.size());
    file->finish();
    files.rename(temporary, path);
  } catch (const Error&) {
    try {
      files.remove_all(temporary);
    } catch (const Error&) {
      // The first error says what went wrong; the next save removes what is left.
    }
    throw;
  }
}

}  // namespace ds
