#include "engine/metrics/csv_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

[[noreturn]] void fail(const std::string& path) {
  throw Error(ErrorCode::kInternal, "metrics: cannot write " + path + ": " + std::strerror(errno));
}

std::string kept_rows(const std::string& text, const std::string& header, int64_t last_step) {
  std::string kept = header + "\n";
  for (size_t start = 0; start < text.size();) {
    const size_t end = text.find('\n', start);
    if (end == std::string::npos) break;
    const std::string line = text.substr(start, end - start);
    start = end + 1;
    const auto step = parse_int(line.substr(0, line.find(',')));
    if (step && *step <= last_step) kept += line + "\n";
  }
  return kept;
}

}  // namespace

CsvFile::CsvFile(const std::string& path, const std::string& header, int64_t last_step) : path_(path) {
  const std::string before = std::filesystem::exists(path) ? read_file(path) : "";
  const std::string after = kept_rows(before, header, last_step);
  if (after != before) {
    const std::string temporary = path + ".tmp";
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file << after;
    file.close();
    if (!file || ::rename(temporary.c_str(), path.c_str()) != 0) fail(path);
  }
  fd_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd_ < 0) fail(path);
}

CsvFile::~CsvFile() {
  if (fd_ >= 0) ::close(fd_);
}

void CsvFile::append(const std::string& row) {
  const std::string line = row + "\n";
  if (::write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) fail(path_);
}

std::string csv_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

}  // namespace ds
