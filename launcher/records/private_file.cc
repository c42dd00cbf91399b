#include "launcher/records/private_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "agent/file_descriptor.h"
#include "topology/base/error.h"

namespace ds {

void write_private_file(const std::string& path, const std::string& text) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  fs::permissions(folder, fs::perms::owner_all, error);
  const std::string draft = path + ".new-" + std::to_string(::getpid());
  ::unlink(draft.c_str());  // one that was left behind may have any mode, or lead elsewhere
  const FileDescriptor file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  bool fine = file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  fine = fine && ::rename(draft.c_str(), path.c_str()) == 0;
  const int reason = errno;
  if (fine) return;
  ::unlink(draft.c_str());
  throw Error(ErrorCode::kUsage, "launcher: cannot write " + path + ": " + std::strerror(reason));
}

}  // namespace ds
