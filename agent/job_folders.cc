#include "agent/job_folders.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "agent/file_descriptor.h"
#include "topology/base/error.h"

namespace ds {

namespace fs = std::filesystem;

static std::string user_prefix() { return "dsl-" + std::to_string(getuid()); }
static std::string user_folder() { return "/tmp/" + user_prefix(); }
static std::string memory_prefix(const std::string& job) { return user_prefix() + "-" + job + "-"; }

// Ranks of other users must not be able to plant or read anything here.
static void create_private(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    throw Error(errno == ENOENT ? ErrorCode::kUnavailable : ErrorCode::kInternal,
                "run folder: cannot create " + path + ": " + std::strerror(errno));
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) throw Error(ErrorCode::kUnavailable, "run folder: " + path + " has vanished");
  if (!S_ISDIR(info.st_mode) || info.st_uid != getuid())
    throw Error(ErrorCode::kUsage, "run folder: " + path + " is not a folder of user " + std::to_string(getuid()));
  if ((info.st_mode & 077) != 0 && chmod(path.c_str(), 0700) != 0)
    throw Error(ErrorCode::kUsage, "run folder: cannot make " + path + " private: " + std::strerror(errno));
}

static void remove_tree(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

static std::vector<std::string> entries(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  return names;
}

JobFolders::JobFolders(std::string job, uint32_t host_index, std::string host_name)
    : job_(std::move(job)), host_index_(host_index), host_name_(std::move(host_name)) {}

std::string JobFolders::host_folder() const {
  return user_folder() + "/" + job_ + "/" + std::to_string(host_index_) + "." + host_name_;
}

std::string JobFolders::run_folder(uint32_t generation) const {
  return host_folder() + "/g" + std::to_string(generation);
}

std::string JobFolders::memory_folder(uint32_t generation) const {
  return "/dev/shm/" + memory_prefix(job_) + std::to_string(host_index_) + "-g" + std::to_string(generation);
}

// Another agent that shares /tmp may remove a parent that it finds empty just before we fill it: then once more.
void JobFolders::create_host_folder() const {
  constexpr int kTries = 20;
  for (int attempt = 1;; ++attempt) {
    try {
      create_private(user_folder());
      create_private(user_folder() + "/" + job_);
      return create_private(host_folder());
    } catch (const Error& error) {
      if (attempt == kTries || error.code() != ErrorCode::kUnavailable) throw;
    }
  }
}

void JobFolders::create_generation(uint32_t generation) const {
  create_host_folder();
  create_private(run_folder(generation));
  create_private(memory_folder(generation));
}

void JobFolders::remove_generation(uint32_t generation) const {
  remove_tree(memory_folder(generation));
  remove_tree(run_folder(generation));
}

void JobFolders::remove_all() const {
  const std::string ours = memory_prefix(job_) + std::to_string(host_index_) + "-g";
  for (const auto& name : entries("/dev/shm"))
    if (name.starts_with(ours)) remove_tree("/dev/shm/" + name);
  remove_tree(host_folder());
  rmdir((user_folder() + "/" + job_).c_str());
  rmdir(user_folder().c_str());
}

bool valid_job_id(const std::string& job) {
  return !job.empty() && job.size() <= 100 && job[0] != '.' && std::all_of(job.begin(), job.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '_' || c == '-';
  });
}

std::string own_host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0) return "localhost";
  return name;
}

std::vector<std::string> jobs_with_folders() {
  std::vector<std::string> jobs;
  for (auto& name : entries(user_folder()))
    if (valid_job_id(name)) jobs.push_back(std::move(name));
  return jobs;
}

std::vector<std::string> host_folders_of_job(const std::string& job, const std::string& host_name) {
  std::vector<std::string> result;
  const std::string parent = user_folder() + "/" + job;
  for (const auto& name : entries(parent)) {
    const auto dot = name.find('.');
    if (dot != std::string::npos && name.substr(dot + 1) == host_name) result.push_back(parent + "/" + name);
  }
  return result;
}

void remove_files_of_job(const std::string& job, const std::string& host_name) {
  for (const auto& folder : host_folders_of_job(job, host_name)) {
    const std::string index = fs::path(folder).filename().string();
    JobFolders(job, static_cast<uint32_t>(std::strtoul(index.c_str(), nullptr, 10)), host_name).remove_all();
  }
}

void write_run_file(const std::string& folder, const std::string& name, const std::string& content) {
  if (name.empty() || name.find('/') != std::string::npos || name == "." || name == "..")
    throw Error(ErrorCode::kUsage, "run folder: file name=" + name + ": must be a plain name");
  const std::string path = folder + "/" + name;
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  size_t done = 0;
  while (file && done < content.size()) {
    const ssize_t n = write(file.get(), content.data() + done, content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  if (!file || done < content.size())
    throw Error(ErrorCode::kInternal, "run folder: cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace ds
