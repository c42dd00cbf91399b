#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/placement.h"

namespace ds {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& text, const std::string& known) {
  throw Error(ErrorCode::kUsage, option + ": '" + text + "': must be " + known);
}

[[noreturn]] void refuse_map_by(const std::string& text) {
  refuse("--map-by", text,
         "slot, node, socket, numa, core, hwthread or ppr:N:object (N ranks per node, socket, numa, core or hwthread), "
         "then perhaps :PE=n, :OVERSUBSCRIBE or :NOOVERSUBSCRIBE");
}

std::optional<int> count_of(const std::string& text) {
  const auto count = parse_int(text);
  if (!count || *count < 1 || *count > kMaxSlots) return std::nullopt;
  return static_cast<int>(*count);
}

// False when `word` is no modifier.
bool take_modifier(const std::string& word, PlacementOptions& options) {
  const std::string name = lower(word);
  if (name == "oversubscribe" || name == "nooversubscribe") {
    options.oversubscribe = name == "oversubscribe";
    return true;
  }
  if (!name.starts_with("pe=")) return false;
  const std::optional<int> each = count_of(name.substr(3));
  if (each) options.binding.cpus_per_rank = *each;
  return each.has_value();
}

// What mpirun does with modifiers alone.
void round_sockets(BindingOptions& binding) {
  binding.map_by = Level::kSocket;
  binding.binds_as_mapped = false;
}

}  // namespace

void take_map_by(const std::string& text, PlacementOptions& options) {
  const std::vector<std::string> words = split(text, ':');
  const std::string name = lower(words[0]);
  const bool fixed = name == "ppr" && words.size() >= 3;
  for (size_t i = fixed ? 3 : 1; i < words.size(); ++i)
    for (const std::string& modifier : split(words[i], ','))
      if (!take_modifier(modifier, options)) refuse_map_by(text);
  if (name.empty() && words.size() > 1) return round_sockets(options.binding);
  Level level = Level::kHost;
  const std::string place = fixed ? lower(words[2]) : name;
  if (!(place == "slot" && !fixed) && !level_named(place, level)) refuse_map_by(text);
  const std::optional<int> count = fixed ? count_of(words[1]) : 0;
  if (!count) refuse_map_by(text);
  options.binding.map_by = level;
  if (level != Level::kHost) options.binding.per_place = *count;
  else if (fixed) options.per_node = *count;
  else if (place != "slot") options.map_by = MapBy::kNode;
  const int each = options.binding.cpus_per_rank.value_or(1);
  const bool one_cpu = level == Level::kThread || (level == Level::kCore && !options.binding.threads_are_cpus);
  if (one_cpu && each > 1)
    refuse("--map-by", text,
           "a place that can have " + std::to_string(each) + " CPUs, for example numa:PE=" + std::to_string(each));
}

void take_rank_by(const std::string& text, PlacementOptions& options) {
  const std::string name = lower(text);
  Level level = Level::kHost;
  if (name == "slot") options.rank_by = RankBy::kSlot;
  else if (!level_named(name, level)) refuse("--rank-by", text, "slot, node, socket, numa, core or hwthread");
  else if (level == Level::kHost) options.rank_by = RankBy::kNode;
  else options.binding.rank_by = level;
}

}  // namespace ds
