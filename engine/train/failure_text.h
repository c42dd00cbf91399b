// What an exception that nobody caught says in one line, without the stack frames that torch adds to its own.
#pragma once

#include <exception>
#include <string>

namespace ds {

// "out of memory: …" with the bytes that were asked for where they are told; "internal error: …" for what is left.
std::string failure_text(const std::exception& failure);

}  // namespace ds
