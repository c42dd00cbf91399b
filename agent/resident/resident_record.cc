#include "agent/resident/resident_record.h"

#include "topology/base/error.h"
#include "topology/base/hex.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr int kMaxPort = 65535;

bool take(ResidentRecord& record, const std::string& name, const std::string& value) {
  const auto number = parse_int(value);
  if (name == "host") record.host = value;
  else if (name == "user") record.user = value;
  else if (name == "address") record.addresses.push_back(value);
  else if (name == "program") record.program = value;
  else if (name == "build") record.build = value;
  else if (name == "key") record.key = from_hex(value);
  else if (name == "port" && number && *number > 0 && *number <= kMaxPort) record.port = static_cast<int>(*number);
  else if (name == "pid" && number && *number > 0) record.pid = static_cast<int>(*number);
  else if (name == "started" && number) record.started = *number;
  else return false;
  return true;
}

}  // namespace

std::string record_text(const ResidentRecord& record) {
  std::string text;
  auto line = [&text](const char* name, const std::string& value) {
    if (!value.empty()) text += std::string(name) + " " + value + "\n";
  };
  line("host", record.host);
  line("user", record.user);
  for (const std::string& address : record.addresses) line("address", address);
  line("port", std::to_string(record.port));
  line("pid", std::to_string(record.pid));
  line("program", record.program);
  line("build", record.build);
  line("key", to_hex(record.key));
  line("started", std::to_string(record.started));
  return text;
}

ResidentRecord parse_record(const std::string& text, const std::string& file) {
  ResidentRecord record;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const size_t blank = line.find(' ');
    if (blank == std::string::npos || !take(record, line.substr(0, blank), line.substr(blank + 1)))
      throw Error(ErrorCode::kUsage, file + ":" + std::to_string(number) + ": not a line of a resident agent's record");
  }
  if (record.port == 0) throw Error(ErrorCode::kUsage, file + ": no port of a resident agent");
  return record;
}

}  // namespace ds
