#include "topology/cpu_places.h"

#include <algorithm>
#include <array>
#include <utility>

#include "topology/base/error.h"

namespace ds {
namespace {

constexpr std::array<std::pair<const char*, Level>, 8> kNames{{{"host", Level::kHost},
                                                               {"node", Level::kHost},
                                                               {"package", Level::kSocket},
                                                               {"socket", Level::kSocket},
                                                               {"numa", Level::kNuma},
                                                               {"core", Level::kCore},
                                                               {"thread", Level::kThread},
                                                               {"hwthread", Level::kThread}}};

int place_number(const Cpu& cpu, Level level) {
  switch (level) {
    case Level::kHost: return 0;
    case Level::kSocket: return cpu.socket;
    case Level::kNuma: return cpu.numa;
    case Level::kCore: return cpu.core;
    case Level::kThread: break;
  }
  return cpu.id;
}

std::vector<Cpu> all_cpus(const Host& host) {
  std::vector<Cpu> cpus;
  for (size_t i = 0; i < host.cores.size(); ++i) {
    const int numa = i < host.numa_of_core.size() ? host.numa_of_core[i] : 0;
    const int socket = i < host.socket_of_core.size() ? host.socket_of_core[i] : 0;
    for (int id : threads_of(host, i)) cpus.push_back({id, static_cast<int>(i), numa, socket});
  }
  return cpus;
}

}  // namespace

std::vector<int> threads_of(const Host& host, size_t index) {
  if (index < host.threads_of_core.size() && !host.threads_of_core[index].empty()) return host.threads_of_core[index];
  return {host.cores[index]};
}

std::vector<int> cores_touched(const Host& host, const std::vector<int>& cpus) {
  std::vector<int> cores;
  for (size_t i = 0; i < host.cores.size(); ++i) {
    const std::vector<int> threads = threads_of(host, i);
    if (std::find_first_of(threads.begin(), threads.end(), cpus.begin(), cpus.end()) != threads.end())
      cores.push_back(host.cores[i]);
  }
  return cores;
}

std::vector<Cpu> usable_cpus(const Host& host, const std::vector<int>& cpu_list) {
  const std::vector<Cpu> all = all_cpus(host);
  if (cpu_list.empty() || all.empty()) return all;
  std::vector<Cpu> chosen;
  for (int id : cpu_list) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Cpu& cpu) { return cpu.id == id; });
    if (found == all.end())
      throw Error(ErrorCode::kUsage,
                  "cpu list: host " + host.name + " has no usable core with CPU " + std::to_string(id));
    const bool whole_core = host.cores[static_cast<size_t>(found->core)] == id;
    for (const Cpu& cpu : all) {
      const bool wanted = cpu.id == id || (whole_core && cpu.core == found->core);
      if (wanted && std::find(chosen.begin(), chosen.end(), cpu) == chosen.end()) chosen.push_back(cpu);
    }
  }
  return chosen;
}

std::vector<std::vector<Cpu>> places_of(const std::vector<Cpu>& cpus, Level level) {
  std::vector<std::pair<int, std::vector<Cpu>>> places;
  for (const Cpu& cpu : cpus) {
    const int number = place_number(cpu, level);
    auto place = std::find_if(places.begin(), places.end(), [&](const auto& one) { return one.first == number; });
    if (place == places.end()) place = places.insert(places.end(), {number, {}});
    place->second.push_back(cpu);
  }
  if (level == Level::kSocket || level == Level::kNuma)
    std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::vector<Cpu>> result;
  for (auto& [number, place] : places) result.push_back(std::move(place));
  return result;
}

bool level_named(const std::string& name, Level& level) {
  for (const auto& [known, value] : kNames)
    if (name == known) return level = value, true;
  return false;
}

const char* name_of(Level level) {
  switch (level) {
    case Level::kHost: return "node";
    case Level::kSocket: return "socket";
    case Level::kNuma: return "numa";
    case Level::kCore: return "core";
    case Level::kThread: break;
  }
  return "hwthread";
}

}  // namespace ds
