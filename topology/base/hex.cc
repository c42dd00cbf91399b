#include "topology/base/hex.h"

#include "topology/base/error.h"

namespace ds {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  throw Error(ErrorCode::kUsage, "not a hexadecimal digit: character=" + std::string(1, c));
}

}  // namespace

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

}  // namespace ds
