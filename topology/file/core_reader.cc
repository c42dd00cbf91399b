#include "topology/file/core_reader.h"

#include <algorithm>
#include <set>

#include "topology/base/error.h"
#include "topology/cpu_list.h"

namespace ds {
namespace {

using Json = ObjectReader::Json;

// A number of cores, a list of CPUs, or the list as text, "0-3,8".
std::vector<int> core_list(ObjectReader& reader) {
  const Json* value = reader.find("cores");
  if (value && value->is_array()) return reader.numbers("cores", 0, kMaxCpu);
  std::vector<int> result;
  if (value && is_whole_number(*value, 0, kMaxCpu)) {
    for (int cpu = 0; cpu < value->get<int>(); ++cpu) result.push_back(cpu);
  } else if (value && value->is_string()) {
    try {
      result = parse_cpu_list(value->get<std::string>());
    } catch (const Error& error) {
      reader.refuse("cores", error.what());
    }
  } else if (value) {
    reader.refuse("cores", "must be a number of cores, a list of CPUs or a text like \"0-3,8\"");
  }
  return result;
}

// Core i of n has the CPUs i, i + n, ..., as Linux numbers them.
std::vector<std::vector<int>> numbered_threads(ObjectReader& reader, const std::vector<int>& cores, int64_t each) {
  std::vector<std::vector<int>> result;
  const int64_t highest = cores.empty() ? 0 : *std::max_element(cores.begin(), cores.end());
  if (highest + (each - 1) * static_cast<int64_t>(cores.size()) > kMaxCpu)
    return reader.refuse("threads", "gives CPUs above " + std::to_string(kMaxCpu)), result;
  for (const int core : cores) {
    result.emplace_back();
    for (int64_t thread = 0; thread < each; ++thread)
      result.back().push_back(core + static_cast<int>(thread) * static_cast<int>(cores.size()));
  }
  return result;
}

// CPUs of each core, or how many each has.
std::vector<std::vector<int>> threads_of_cores(ObjectReader& reader, const std::vector<int>& cores) {
  const Json* value = reader.find("threads");
  std::vector<std::vector<int>> result;
  if (!value) return result;
  if (is_whole_number(*value, 1, kMaxCpu)) return numbered_threads(reader, cores, value->get<int64_t>());
  bool ok = value->is_array() && value->size() == cores.size();
  for (size_t i = 0; ok && i < cores.size(); ++i) {
    const Json& cpus = (*value)[i];
    ok = cpus.is_array() &&
         std::all_of(cpus.begin(), cpus.end(), [](const Json& item) { return is_whole_number(item, 0, kMaxCpu); });
    if (ok) result.push_back(cpus.get<std::vector<int>>());
    ok = ok && !result[i].empty() && result[i][0] == cores[i];
  }
  if (!ok) reader.refuse("threads", "must be a number, or for each core the list of its CPUs, the one in cores first");
  return ok ? result : std::vector<std::vector<int>>{};
}

std::vector<CacheLevel> cache_levels(ObjectReader& reader, size_t num_cores) {
  static const std::vector<std::string> kKeys{"level", "bytes", "of_core"};
  const Json* value = reader.find("caches");
  std::vector<CacheLevel> result;
  if (!value) return result;
  if (!value->is_array() || value->size() > 8)
    return reader.refuse("caches", "must be a list of at most 8 levels"), result;
  for (size_t i = 0; i < value->size(); ++i) {
    ObjectReader cache((*value)[i], reader.path("caches[" + std::to_string(i) + "]"), kKeys, reader.problems());
    result.push_back({cache.number("level", 9).value_or(0), cache.bytes("bytes"),
                      cache.places("of_core", num_cores, "cores", false)});
    if (result.back().level == 0) cache.refuse("level", "must be the number of a cache level, 2 for L2");
    if (result.back().of_core.empty() && num_cores > 0) cache.refuse("of_core", "must say which cores share one");
  }
  return result;
}

}  // namespace

void read_cores(ObjectReader& reader, Host& host) {
  host.cores = core_list(reader);
  if (std::set<int>(host.cores.begin(), host.cores.end()).size() < host.cores.size())
    reader.refuse("cores", "names a CPU twice");
  host.threads_of_core = threads_of_cores(reader, host.cores);
  host.numa_of_core = reader.places("numa", host.cores.size(), "cores", false);
  host.socket_of_core = reader.places("sockets", host.cores.size(), "cores", false);
  host.caches = cache_levels(reader, host.cores.size());
}

}  // namespace ds
