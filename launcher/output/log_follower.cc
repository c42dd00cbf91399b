#include "launcher/output/log_follower.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "agent/file_descriptor.h"
#include "topology/base/text.h"

namespace ds {
namespace {

namespace fs = std::filesystem;

constexpr size_t kReadBytes = 1u << 20;

}  // namespace

int newest_generation(const std::string& output) {
  int64_t newest = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(output + "/logs", error))
    newest = std::max(newest, parse_int(entry.path().filename().string()).value_or(0));
  return static_cast<int>(newest);
}

LogFollower::LogFollower(std::string output, std::optional<int> rank, Show show)
    : output_(std::move(output)), rank_(rank), show_(std::move(show)) {}

std::string LogFollower::folder() const { return output_ + "/logs/" + std::to_string(generation_); }

bool LogFollower::has_files() const { return !files().empty(); }

void LogFollower::enter(int generation) {
  generation_ = generation;
  done_.clear();
}

void LogFollower::show_new() {
  for (const auto& [rank, path] : files()) show_file(rank, path, false);
}

void LogFollower::show_rest() {
  for (const auto& [rank, path] : files()) show_file(rank, path, true);
}

std::map<int, std::string> LogFollower::files() const {
  std::map<int, std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder(), error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("rank") || !name.ends_with(".log")) continue;
    const std::optional<int64_t> rank = parse_int(name.substr(4, name.size() - 8));
    if (rank && (!rank_ || *rank_ == *rank)) files[static_cast<int>(*rank)] = entry.path();
  }
  return files;
}

// In pieces, and longer ones only for a line that does not fit: a log may be larger than the memory.
void LogFollower::show_file(int rank, const std::string& path, bool to_the_end) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return;
  off_t& done = done_[rank];
  std::string text(kReadBytes, '\0');
  ssize_t n;
  while ((n = ::pread(file.get(), text.data(), text.size(), done)) > 0) {
    const std::string_view got(text.data(), static_cast<size_t>(n));
    const size_t newline = got.rfind('\n');
    if (newline == std::string_view::npos && got.size() == text.size()) {
      text.resize(2 * text.size());
      continue;
    }
    const size_t whole = newline == std::string_view::npos ? 0 : newline + 1;
    const size_t take = whole == 0 && to_the_end ? got.size() : whole;
    if (take == 0) return;
    show_({generation_, rank, got.substr(0, take)});
    done += static_cast<off_t>(take);
  }
}

}  // namespace ds
