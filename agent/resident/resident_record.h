// What is known about a resident agent: the private file by which its user's later jobs find it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ds {

struct ResidentRecord {
  std::string host;                    // as the user named it
  std::string user;                    // login name given for it; "" = none
  std::vector<std::string> addresses;  // numeric
  int port = 0;
  int pid = 0;
  std::string program, build;          // path of its dsagent, and its build id
  std::string key;                     // raw bytes; "" = left out
  int64_t started = 0;                 // Unix seconds

  bool operator==(const ResidentRecord&) const = default;
};

// Lines of "name value". The text of a running agent to whoever starts it has no key.
std::string record_text(const ResidentRecord& record);
ResidentRecord parse_record(const std::string& text, const std::string& file);  // throws kUsage naming file and line

}  // namespace ds
