#include "launcher/output/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace ds {

OutputFile::OutputFile(const std::string& path) : path_(path) {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) problem_ = "cannot write " + path + ": " + std::strerror(errno);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
}

void OutputFile::append(const std::string& data) {
  size_t done = 0;
  while (fd_ >= 0 && problem_.empty() && done < data.size()) {
    ssize_t n = ::write(fd_, data.data() + done, data.size() - done);
    if (n >= 0) done += static_cast<size_t>(n);
    else if (errno != EINTR) problem_ = "cannot write " + path_ + ": " + std::strerror(errno);
  }
}

}  // namespace ds
