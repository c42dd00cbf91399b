#include "engine/tools/report_command.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "engine/tools/report.h"
#include "engine/tools/text_table.h"

namespace ds {
namespace {

std::string word_for(Presence presence) {
  switch (presence) {
    case Presence::kThere:
      return "OK";
    case Presence::kMissing:
      return "missing";
    case Presence::kInfo:
      return "";
  }
  return "";
}

int report(const std::vector<std::string>& words, std::ostream& out) {
  const Arguments arguments(words, {{"--json"}}, 0, 0);
  auto rows = report_libraries();
  const auto machine = report_machine();
  rows.insert(rows.end(), machine.begin(), machine.end());
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  std::vector<std::vector<std::string>> table;
  for (const ReportRow& row : rows) {
    json[row.subject] = {{"detail", row.detail}};
    if (row.presence != Presence::kInfo) json[row.subject]["ok"] = row.presence == Presence::kThere;
    table.push_back({row.subject, word_for(row.presence), row.detail});
  }
  if (arguments.has("--json")) out << json.dump(1) << "\n";
  else print_table(table, out);
  return kToolOk;
}

}  // namespace

Command report_command() {
  return {"report", "what this build and this machine have",
          "Usage: dstool report [--json]\n\nOne line per library and per part of the machine: OK, missing, or a number "
          "to know.\n"
          "Missing things are only a loss for what needs them.\n\nExample: dstool report --json\n",
          report};
}

}  // namespace ds
