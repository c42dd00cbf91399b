#include "launcher/output/log_files.h"

#include <cstring>
#include <utility>

#include "launcher/output/output_file.h"

namespace ds {

LogFiles::LogFiles() = default;

LogFiles::~LogFiles() = default;

OutputFile& LogFiles::file(const std::string& path) {
  std::unique_ptr<OutputFile>& file = files_[path];
  if (!file) file = std::make_unique<OutputFile>(path);
  return *file;
}

void LogFiles::create(const std::string& path) { file(path); }

void LogFiles::append(const std::string& path, std::string_view data) {
  OutputFile& target = file(path);
  if (target.fd() < 0) return;
  if (!thread_) thread_ = std::make_unique<WriterThread>();
  thread_->write(target.fd(), data);
}

void LogFiles::when_room(std::function<void()> then) {
  if (thread_) return thread_->when_below(kRoomBytes, std::move(then));
  if (then) then();
}

void LogFiles::drain() {
  if (thread_) thread_->drain();
}

std::string LogFiles::new_problems() {
  std::string text;
  for (const auto& [path, file] : files_) {
    if (told_[path]) continue;
    std::string problem = file->problem();
    const int error = thread_ && thread_->any_failure() && file->fd() >= 0 ? thread_->failure(file->fd()) : 0;
    if (problem.empty() && error != 0) problem = "cannot write " + path + ": " + std::strerror(error);
    if (problem.empty()) continue;
    told_[path] = true;
    text += (text.empty() ? "" : "\n") + problem;
  }
  return text;
}

}  // namespace ds
