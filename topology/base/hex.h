// Bytes as text of hexadecimal digits.
#pragma once

#include <string>

namespace ds {

std::string to_hex(const std::string& bytes);
std::string from_hex(const std::string& text);  // throws kUsage when it is not hexadecimal

}  // namespace ds
