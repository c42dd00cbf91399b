#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/placement.h"

namespace ds {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& text, const std::string& known) {
  throw Error(ErrorCode::kUsage, option + ": '" + text + "': must be " + known);
}

// True when `word` is a modifier; they stand behind the policy.
bool take_modifier(const std::string& word, MapPolicy& policy) {
  const std::string name = lower(word);
  if (name != "oversubscribe" && name != "nooversubscribe") return false;
  policy.oversubscribe = name == "oversubscribe";
  return true;
}

}  // namespace

MapPolicy parse_map_by(const std::string& text) {
  const std::string known = "slot, node, ppr:N:node, core, socket or numa, then perhaps :OVERSUBSCRIBE";
  MapPolicy policy;
  std::vector<std::string> words = split(text, ':');
  while (words.size() > 1 && take_modifier(words.back(), policy)) words.pop_back();
  const std::string name = lower(words[0]);
  if (name == "ppr" && words.size() == 3 && (lower(words[2]) == "node" || lower(words[2]) == "host")) {
    const auto count = parse_int(words[1]);
    if (!count || *count < 1 || *count > kMaxSlots) refuse("--map-by", text, known);
    policy.per_node = static_cast<int>(*count);
    return policy;
  }
  if (words.size() != 1) refuse("--map-by", text, known);
  if (name == "node") policy.map_by = MapBy::kNode;
  else if (name == "core") policy.order = CoreOrder::kCores;
  else if (name == "socket" || name == "package") policy.order = CoreOrder::kSockets;
  else if (name == "numa") policy.order = CoreOrder::kNumas;
  else if (name != "slot") refuse("--map-by", text, known);
  return policy;
}

RankBy parse_rank_by(const std::string& text) {
  const std::string name = lower(text);
  if (name == "slot") return RankBy::kSlot;
  if (name == "node") return RankBy::kNode;
  refuse("--rank-by", text, "slot or node");
}

}  // namespace ds
