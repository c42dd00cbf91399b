#include "topology/binding_text.h"

#include <algorithm>

#include "topology/base/text.h"
#include "topology/cpu_list.h"
#include "topology/cpu_places.h"

namespace ds {
namespace {

bool holds(const std::vector<int>& cpus, int id) { return std::find(cpus.begin(), cpus.end(), id) != cpus.end(); }

std::string words_of_core(const std::vector<Cpu>& core, const std::vector<int>& cpus) {
  std::vector<int> threads;
  for (size_t thread = 0; thread < core.size(); ++thread)
    if (holds(cpus, core[thread].id)) threads.push_back(static_cast<int>(thread));
  if (threads.empty()) return "";
  return "socket " + std::to_string(core[0].socket) + "[core " + std::to_string(core[0].core) + "[hwt " +
         cpu_list_text(threads) + "]]";
}

std::string picture_of_core(const std::vector<Cpu>& core, const std::vector<int>& cpus) {
  std::string picture;
  for (const Cpu& cpu : core) picture += holds(cpus, cpu.id) ? 'B' : '.';
  return picture;
}

}  // namespace

std::string binding_text(const Host& host, const std::vector<int>& cpus) {
  const std::vector<Cpu> all = usable_cpus(host, {});
  const bool bound = std::any_of(all.begin(), all.end(), [&](const Cpu& cpu) { return !holds(cpus, cpu.id); });
  if (cpus.empty() || !bound) return "is not bound (or bound to all available processors)";
  std::vector<std::string> words;
  std::string picture;
  for (const std::vector<Cpu>& socket : places_of(all, Level::kSocket)) {
    std::vector<std::string> cores;
    for (const std::vector<Cpu>& core : places_of(socket, Level::kCore)) {
      if (const std::string text = words_of_core(core, cpus); !text.empty()) words.push_back(text);
      cores.push_back(picture_of_core(core, cpus));
    }
    picture += "[" + join(cores, "/") + "]";
  }
  return "bound to " + join(words, ", ") + ": " + picture;
}

}  // namespace ds
