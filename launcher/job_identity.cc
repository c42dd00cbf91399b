#include "launcher/job_identity.h"

#include <unistd.h>

#include <cctype>
#include <filesystem>

#include "agent/authentication.h"
#include "topology/base/error.h"

namespace ds {
namespace {

constexpr size_t kMaxNameBytes = 24;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  throw Error(ErrorCode::kUsage, "launcher: not a hexadecimal digit: character=" + std::string(1, c));
}

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

std::string to_hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string from_hex(const std::string& text) {
  if (text.size() % 2) throw Error(ErrorCode::kUsage, "launcher: odd number of hexadecimal digits");
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 2)
    bytes += static_cast<char>(hex_digit(text[i]) * 16 + hex_digit(text[i + 1]));
  return bytes;
}

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
