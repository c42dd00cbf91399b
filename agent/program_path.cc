#include "agent/program_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "topology/base/text.h"

namespace ds {

// 0 = can be executed, else errno.
static int execution_error(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

static ProgramPath verdict(const std::string& name, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  return {"", missing ? 127 : 126, name + ": " + std::strerror(error)};
}

static std::string below(const std::string& folder, const std::string& name) {
  return name.starts_with('/') || folder.empty() ? name : folder + "/" + name;
}

ProgramPath find_program(const std::string& name, const std::string& folder, const std::string& search_path) {
  if (name.empty()) return {"", 127, "empty program name"};
  if (name.find('/') != std::string::npos) {
    const std::string path = below(folder, name);
    const int error = execution_error(path);
    return error == 0 ? ProgramPath{path, 0, ""} : verdict(name, error);
  }
  int refusal = 0;
  for (const auto& place : split(search_path, ':')) {
    const std::string path = below(folder, (place.empty() ? "." : place) + "/" + name);
    const int error = execution_error(path);
    if (error == 0) return {path, 0, ""};
    if (error == EACCES) refusal = error;
  }
  if (execution_error(below(folder, name)) == 0) return {below(folder, name), 0, ""};
  if (refusal) return verdict(name, refusal);
  return {"", 127, name + ": not found in PATH=" + search_path + (folder.empty() ? "" : ", nor in " + folder)};
}

}  // namespace ds
