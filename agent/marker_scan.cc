#include "agent/marker_scan.h"

namespace ds {

bool MarkerScan::feed(std::string_view bytes) {
  if (found_) {
    rest_ += bytes;
    return true;
  }
  seen_ += bytes;
  size_t at = seen_.find(wanted_);
  if (at == std::string::npos) {
    size_t keep = kNoiseKept + wanted_.size();
    if (seen_.size() > 2 * keep) seen_.erase(0, seen_.size() - keep);
    return false;
  }
  found_ = true;
  rest_ = seen_.substr(at + wanted_.size());
  seen_.resize(at);
  return true;
}

std::string MarkerScan::noise() const {
  std::string text = seen_.empty() ? seen_ : seen_.substr(seen_[0] == '\n' ? 1 : 0);
  return text.size() > kNoiseKept ? text.substr(text.size() - kNoiseKept) : text;
}

}  // namespace ds
