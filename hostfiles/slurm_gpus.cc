#include "hostfiles/slurm_gpus.h"

#include <optional>
#include <sstream>

#include "hostfiles/slurm_nodelist.h"
#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/host.h"

namespace ds {
namespace {

// "gpu:2(IDX:0-1),gpu:a100:1(IDX:4,6)", other resources between them; nullopt: no numbers of GPUs.
std::optional<int> gpus_in(const std::string& list) {
  std::string flat;
  int depth = 0;
  for (char c : list) {
    if (c == '(') ++depth;
    if (depth == 0) flat += c;
    if (c == ')') --depth;
  }
  int sum = 0;
  for (const std::string& item : split(flat, ',')) {
    if (!item.starts_with("gpu:")) continue;
    const auto count = parse_int(item.substr(item.rfind(':') + 1));
    if (!count || *count < 0 || *count > kMaxSlots - sum) return std::nullopt;
    sum += static_cast<int>(*count);
  }
  return sum;
}

}  // namespace

bool gpus_may_differ(const std::map<std::string, std::string>& environment) {
  const auto is_set = [&](const char* name) {
    const auto found = environment.find(name);
    return found != environment.end() && !found->second.empty();
  };
  if (is_set("SLURM_GPUS_PER_NODE")) return false;
  return is_set("SLURM_GPUS") || is_set("SLURM_GPUS_PER_TASK") || is_set("SLURM_GPUS_PER_SOCKET");
}

std::map<std::string, int> gpus_by_node(const std::string& shown) {
  std::map<std::string, int> gpus;
  std::istringstream words(shown);
  std::string nodes;
  for (std::string word; words >> word;) {
    if (word.starts_with("Nodes=")) nodes = word.substr(6);
    if (!word.starts_with("GRES=") || nodes.empty()) continue;
    const auto count = gpus_in(word.substr(5));
    try {
      for (const std::string& node : parse_slurm_nodelist(nodes))
        if (count) gpus[node] = *count;
    } catch (const Error&) {  // not the list of nodes that it looked like
    }
    nodes.clear();
  }
  return gpus;
}

}  // namespace ds
