// One request to the launcher of a running job, with the job's key, over its control port.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace ds {

struct JobFile;

struct JobAnswer {
  int exit_code = 0;
  std::string text;
};

// Throws kUnavailable when nobody answers within `limit`, naming job, addresses and port. With `until_gone` returns when
// the launcher has closed the connection, at most after `gone_limit`.
JobAnswer ask_job(const JobFile& file, const std::string& what, const std::vector<std::string>& arguments,
                  std::chrono::seconds limit, bool until_gone = false,
                  std::chrono::seconds gone_limit = std::chrono::seconds(120));

}  // namespace ds
