// A rank that writes as programs do not but may: lines of checked_lines.h, cut anywhere by its write() calls, the last one
// without its end. Bytes and the longest line: LINE_WRITER_BYTES, LINE_WRITER_LONGEST.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "tests/support/checked_lines.h"

namespace {

uint64_t number_from(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) std::_Exit(3);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

}  // namespace

int main() {
  const uint64_t rank = number_from("RANK", 0), bytes = number_from("LINE_WRITER_BYTES", 1 << 20);
  const size_t longest = number_from("LINE_WRITER_LONGEST", 1 << 20);
  std::string buffer;
  uint64_t written = 0, number = 0;
  while (true) {
    buffer += ds::testing::checked_line(rank, number++, longest);
    if (written + buffer.size() >= bytes) break;
    buffer += '\n';
    const size_t piece = 1000 + ds::testing::checksum_of(std::to_string(number), rank) % 9000;
    if (buffer.size() < piece) continue;
    write_all(std::string_view(buffer).substr(0, piece));
    written += piece;
    buffer.erase(0, piece);
  }
  write_all(buffer);
}
