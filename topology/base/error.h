// The one exception type of the project, and how its codes become exit codes.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace ds {

enum class ErrorCode {
  kUsage,        // wrong option, key, value or file given by the user; exit 2
  kUnavailable,  // a host or a resource is not there now, later may be; exit 75
  kDeadline,     // something waited for did not come in time; exit 1
  kCorrupt,      // a file fails its checks; exit 1
  kNotFinite,    // loss or gradients are inf or NaN; exit 1
  kInternal,     // a broken promise of our own or of a library; exit 1
};

// What a program that ends because of an error of this code returns.
int exit_status(ErrorCode code);

// Message form: "component: what: subject=value: cause". Several problems (configuration) are one per line.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

// Throws one kUsage Error that lists all problems, one per line; does nothing if there are none.
void throw_if_any(const std::string& what, const std::vector<std::string>& problems);

}  // namespace ds
