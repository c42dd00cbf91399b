#include "engine/train/failure_text.h"

#include <c10/util/Exception.h>

#include <new>
#include <string_view>

namespace ds {
namespace {

constexpr std::string_view kAskedFor = "you tried to allocate ";  // torch, for the memory of the host

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string failure_text(const std::exception& failure) {
  const auto* torch_failure = dynamic_cast<const c10::Error*>(&failure);
  const std::string text = first_line(torch_failure ? torch_failure->what_without_backtrace() : failure.what());
  if (const size_t at = text.find(kAskedFor); at != std::string::npos) {
    const std::string bytes = text.substr(at + kAskedFor.size());
    return "out of memory: the process needs " + bytes.substr(0, bytes.find(' ')) + " more bytes than the host gives";
  }
  if (dynamic_cast<const std::bad_alloc*>(&failure)) return "out of memory: the process needs more than the host gives";
  if (dynamic_cast<const c10::OutOfMemoryError*>(&failure)) return "out of memory: " + text;
  return "internal error: " + text;
}

}  // namespace ds
