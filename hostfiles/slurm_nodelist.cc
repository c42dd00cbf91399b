#include "hostfiles/slurm_nodelist.h"

#include "hostfiles/host_name.h"
#include "hostfiles/host_range.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr size_t kMaxNodes = 65536;
constexpr int64_t kMaxCount = 1 << 20;

[[noreturn]] void fail(std::string_view list, const std::string& cause) {
  throw Error(ErrorCode::kUsage, "Slurm list " + quote(list) + ": " + cause);
}

// "2" or "2(x3)" appended to counts.
void add_count(std::vector<int>& counts, std::string_view part, std::string_view list) {
  const auto open = part.find("(x");
  const auto count = parse_int(part.substr(0, open));
  std::optional<int64_t> times = 1;
  if (open != std::string_view::npos) {
    const bool closed = part.ends_with(')');
    times = closed ? parse_int(part.substr(open + 2, part.size() - open - 3)) : std::nullopt;
  }
  if (!count || *count < 0 || *count > kMaxCount || !times || *times < 1)
    fail(list, quote(part) + " is not a count like 2 or 2(x3)");
  if (*times > static_cast<int64_t>(kMaxNodes - counts.size())) fail(list, "more than 65536 nodes");
  counts.insert(counts.end(), static_cast<size_t>(*times), static_cast<int>(*count));
}

}  // namespace

std::vector<std::string> parse_slurm_nodelist(std::string_view list) {
  std::vector<std::string> nodes;
  for (const std::string& item : split_host_list(list)) {
    for (std::string& name : expand_host_range(item)) {
      if (!is_host_name(name)) fail(list, quote(name) + " is not a host name");
      nodes.push_back(std::move(name));
    }
    if (nodes.size() > kMaxNodes) fail(list, "more than 65536 nodes");
  }
  return nodes;
}

std::vector<int> parse_slurm_counts(std::string_view list) {
  std::vector<int> counts;
  for (const std::string& part : split(list, ',')) add_count(counts, trim(part), list);
  return counts;
}

}  // namespace ds
