#include "launcher/plan/job_identity.h"

#include <unistd.h>

#include <cctype>
#include <filesystem>

#include "agent/authentication.h"
#include "topology/base/error.h"
#include "topology/base/hex.h"

namespace ds {
namespace {

constexpr size_t kMaxNameBytes = 24;

}  // namespace

std::string new_job_id(const std::string& name) {
  std::string id;
  for (char c : name.substr(0, kMaxNameBytes)) {
    bool fine = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
    id += fine ? c : '_';
  }
  if (id.empty() || id[0] == '.' || id[0] == '-') id.insert(0, "job");
  return id + "-" + to_hex(random_bytes(4));
}

std::string new_job_key() { return random_bytes(32); }

std::string program_folder() {
  std::error_code error;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw Error(ErrorCode::kInternal, "launcher: cannot read /proc/self/exe: " + error.message());
  return path.parent_path();
}

std::string this_host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace ds
