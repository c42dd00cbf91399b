#include "topology/base/error.h"

namespace ds {

int exit_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return 2;
    case ErrorCode::kUnavailable:
      return 75;
    case ErrorCode::kDeadline:
    case ErrorCode::kCorrupt:
    case ErrorCode::kNotFinite:
    case ErrorCode::kInternal:
      return 1;
  }
  return 1;
}

void throw_if_any(const std::string& what, const std::vector<std::string>& problems) {
  if (problems.empty()) return;
  std::string text = what;
  for (const auto& problem : problems) text += (text.empty() ? "" : "\n") + problem;
  throw Error(ErrorCode::kUsage, text);
}

}  // namespace ds
