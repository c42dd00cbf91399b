#include "launcher/reach/reach_failure.h"

#include <utility>

#include "topology/base/text.h"

namespace ds {
namespace {

constexpr const char* kNoAnswer = "no answer";

// The first text found decides; more specific ones come first.
constexpr std::pair<const char*, const char*> kCauses[] = {
    {"could not resolve hostname", "not found"},
    {"remote host identification has changed", "host key changed"},
    {"host key verification failed", "host key unknown"},
    {"no host key is known", "host key unknown"},
    {"permission denied", "login refused"},
    {"too many authentication failures", "login refused"},
    {"connection refused", "connection refused"},
    {"no route to host", "no route"},
    {"network is unreachable", "no route"},
    {"connection timed out", kNoAnswer},
    {"operation timed out", kNoAnswer},
    {"connection reset", "connection lost"},
    {"closed by remote host", "connection lost"},
    {"dsagent: not found", "no dsagent"},
    {"dsagent: no such file", "no dsagent"},
    {"dsagent: cannot execute", "no dsagent"},
};

std::string last_line(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  for (size_t i = lines.size(); i-- > 0;)
    if (!trim(lines[i]).empty()) return std::string(trim(lines[i]));
  return "";
}

}  // namespace

ReachFailure classify_reach_failure(const std::string& host, const std::string& said, int exit_code,
                                    int waited_seconds) {
  ReachFailure failure{host, "", last_line(said)};
  std::string text = lower(said);
  for (const auto& [needle, cause] : kCauses)
    if (failure.cause.empty() && text.find(needle) != std::string::npos) failure.cause = cause;
  if (failure.cause.empty() && (exit_code == 126 || exit_code == 127)) failure.cause = "no dsagent";
  if (failure.cause.empty() && exit_code < 0) failure.cause = kNoAnswer;
  if (failure.cause.empty()) failure.cause = "agent ended with code " + std::to_string(exit_code);
  if (failure.cause == kNoAnswer) failure.cause += " in " + std::to_string(waited_seconds) + " s";
  return failure;
}

bool is_no_answer(const ReachFailure& failure) { return failure.cause.starts_with(kNoAnswer); }

std::string describe_reach_failures(const std::vector<ReachFailure>& failures) {
  struct Group {
    std::string cause, detail;
    std::vector<std::string> hosts;
  };
  std::vector<Group> groups;
  for (const ReachFailure& failure : failures) {
    Group* group = nullptr;
    for (Group& one : groups)
      if (one.cause == failure.cause) group = &one;
    if (!group) group = &groups.emplace_back(Group{failure.cause, failure.detail, {}});
    group->hosts.push_back(failure.host);
  }
  std::string text;
  for (const Group& group : groups)
    text += (text.empty() ? "" : "\n") + group.cause + (group.cause.starts_with(kNoAnswer) ? ": " : " on: ") +
            join(group.hosts, ", ") + (group.detail.empty() ? "" : " (" + group.detail + ")");
  return text;
}

}  // namespace ds
