#include "topology/cpu_binding.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "topology/base/error.h"
#include "topology/cpu_sharing.h"

namespace ds {
namespace {

using Place = std::vector<Cpu>;
using Binding = std::vector<std::vector<int>>;

std::vector<int> ids_of(const Place& place) {
  std::vector<int> ids;
  for (const Cpu& cpu : place) ids.push_back(cpu.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

bool meets(const Place& a, const Place& b) {
  return std::any_of(a.begin(), a.end(), [&](const Cpu& cpu) { return std::find(b.begin(), b.end(), cpu) != b.end(); });
}

bool within(const Place& inner, const Place& outer) {
  return std::all_of(inner.begin(), inner.end(),
                     [&](const Cpu& cpu) { return std::find(outer.begin(), outer.end(), cpu) != outer.end(); });
}

Level cpu_level(const BindingOptions& options) { return options.threads_are_cpus ? Level::kThread : Level::kCore; }

Level default_level(int num_ranks, const BindingOptions& options) {
  return num_ranks <= 2 && !options.cpus_per_rank ? cpu_level(options) : Level::kNuma;
}

// The place each rank is mapped to, in mapping order.
std::vector<Place> map_ranks(const std::vector<Cpu>& cpus, size_t count, int num_ranks, const BindingOptions& options) {
  const std::vector<Place> places = places_of(cpus, options.map_by.value_or(default_level(num_ranks, options)));
  const size_t each = static_cast<size_t>(std::max(options.per_place, 1));
  std::vector<Place> mapped;
  for (size_t rank = 0; rank < count; ++rank) mapped.push_back(places[rank / each % places.size()]);
  return mapped;
}

// A way over the hardware that was asked for also says what a rank is bound to.
Level bound_level(int num_ranks, const BindingOptions& options) {
  switch (options.bind_to) {
    case BindTo::kThread: return Level::kThread;
    case BindTo::kCore: return Level::kCore;
    case BindTo::kSocket: return Level::kSocket;
    case BindTo::kNuma: return Level::kNuma;
    default: break;
  }
  const bool by_hardware = options.map_by && *options.map_by != Level::kHost && options.per_place == 0;
  return by_hardware && options.binds_as_mapped ? *options.map_by : default_level(num_ranks, options);
}

// Hands out places of one level; each takes as many ranks as it has CPUs.
class Binder {
 public:
  Binder(const std::vector<Cpu>& cpus, Level level, Level cpu_level)
      : places_(places_of(cpus, level)), used_(places_.size()) {
    for (const Place& place : places_) room_.push_back(static_cast<int>(places_of(place, cpu_level).size()));
  }

  // The least used place inside `mapped`, or the place around it; nullptr when that is full.
  const Place* take(const Place& mapped) {
    const bool inside =
        std::any_of(places_.begin(), places_.end(), [&](const Place& place) { return within(place, mapped); });
    size_t best = places_.size();
    for (size_t i = 0; i < places_.size(); ++i) {
      if (!(inside ? within(places_[i], mapped) : within({mapped[0]}, places_[i]))) continue;
      if (best == places_.size() || used_[i] < used_[best]) best = i;
    }
    if (best == places_.size() || used_[best] >= std::max(room_[best], 1)) return nullptr;
    ++used_[best];
    return &places_[best];
  }

 private:
  std::vector<Place> places_;
  std::vector<int> used_, room_;
};

// `each` whole units (cores, or threads) of the place that are not taken; fewer when there are no more.
std::vector<Place> free_units(const Place& place, Level level, size_t each, const std::set<int>& taken) {
  std::vector<Place> found;
  for (const Place& unit : places_of(place, level))
    if (found.size() < each && taken.count(unit[0].id) == 0) found.push_back(unit);
  return found;
}

// n whole units of the mapped place for each rank, each given once; shorter than asked when they run out.
Binding bind_several(const std::vector<Place>& mapped, Level level, const BindingOptions& options) {
  const auto each = static_cast<size_t>(*options.cpus_per_rank);
  Binding binding;
  std::set<int> taken;
  for (const Place& place : mapped) {
    std::vector<Place> units = free_units(place, level, each, taken);
    if (units.size() < each && options.may_share_cpus) {
      for (const Cpu& cpu : place) taken.erase(cpu.id);
      units = free_units(place, level, each, taken);
    }
    if (units.size() < each) break;
    Place all;
    for (const Place& unit : units) all.insert(all.end(), unit.begin(), unit.end());
    binding.push_back(ids_of(all));
    taken.insert(binding.back().begin(), binding.back().end());
  }
  return binding;
}

Binding bind_each(const std::vector<Cpu>& cpus, const std::vector<Place>& mapped, Level level, Level cpu_level) {
  Binder binder(cpus, level, cpu_level);
  Binding binding;
  for (const Place& place : mapped) {
    const Place* bound = binder.take(place);
    if (!bound) break;
    binding.push_back(ids_of(*bound));
  }
  return binding;
}

// Positions in mapping order, by rank number: round the places of a level, each time the next rank mapped there.
std::vector<size_t> numbered(const std::vector<Cpu>& cpus, const std::vector<Place>& mapped, Level level) {
  const std::vector<Place> places = places_of(cpus, level);
  std::vector<size_t> order, left(mapped.size());
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty())
    for (const Place& place : places) {
      const auto next = std::find_if(left.begin(), left.end(), [&](size_t rank) { return meets(mapped[rank], place); });
      if (next == left.end()) continue;
      order.push_back(*next);
      left.erase(next);
    }
  return order;
}

[[noreturn]] void too_small(const Host& host, size_t ranks, const std::vector<Cpu>& cpus, Level level,
                            const BindingOptions& options) {
  const size_t units = places_of(cpus, cpu_level(options)).size();
  const std::string what = options.cpus_per_rank ? std::to_string(*options.cpus_per_rank) + " cpus per rank"
                                                 : std::string("--bind-to ") + name_of(level);
  throw Error(ErrorCode::kUsage, what + ": host " + host.name + ": " + std::to_string(ranks) + " ranks, " +
                                     std::to_string(units) +
                                     (options.threads_are_cpus ? " hardware threads" : " cores") +
                                     ": start fewer ranks or use --bind-to none");
}

Binding bind_shares(const Host& host, size_t ranks, const std::vector<Cpu>& cpus, const BindingOptions& options) {
  const size_t cores = places_of(cpus, Level::kCore).size();
  if (cores >= ranks) return share_cores(cpus, ranks);
  if (options.must_share)
    throw Error(ErrorCode::kUsage, "option --bind_cores_to_rank: must leave each rank a core: host " + host.name +
                                       ": " + std::to_string(ranks) + " ranks, " + std::to_string(cores) +
                                       (options.cpu_list.empty() ? " cores" : " cores in the list"));
  return Binding(ranks, options.cpu_list.empty() ? std::vector<int>{} : ids_of(cpus));
}

}  // namespace

BindTo bind_to_named(const std::string& name) {
  Level level = Level::kHost;
  if (name == "none") return BindTo::kNone;
  if (level_named(name, level)) {
    if (level == Level::kThread) return BindTo::kThread;
    if (level == Level::kCore) return BindTo::kCore;
    if (level == Level::kSocket) return BindTo::kSocket;
    if (level == Level::kNuma) return BindTo::kNuma;
  }
  throw Error(ErrorCode::kUsage, "--bind-to: '" + name + "': must be none, hwthread, core, socket or numa");
}

int ranks_by_places(const Host& host, const BindingOptions& options) {
  const std::vector<Cpu> cpus = usable_cpus(host, options.cpu_list);
  if (cpus.empty())
    throw Error(ErrorCode::kUsage, std::string("ranks per ") + name_of(*options.map_by) + ": the cores of host " +
                                       host.name + " are not known");
  return options.per_place * static_cast<int>(places_of(cpus, *options.map_by).size());
}

Binding bind_ranks(const Host& host, int num_local, int num_ranks, bool oversubscribed, const BindingOptions& options) {
  const size_t count = static_cast<size_t>(std::max(num_local, 0));
  const Binding unbound(count);
  const std::vector<Cpu> cpus = usable_cpus(host, options.cpu_list);
  const bool may_stay_unbound = (options.bind_to == BindTo::kDefault && !options.cpus_per_rank) ||
                                (options.bind_to == BindTo::kShare && !options.must_share);
  if (count == 0 || cpus.empty() || options.bind_to == BindTo::kNone || (may_stay_unbound && oversubscribed))
    return unbound;
  if (options.bind_to == BindTo::kShare) return bind_shares(host, count, cpus, options);
  if (may_stay_unbound && !options.cpu_list.empty()) return Binding(count, ids_of(cpus));

  const std::vector<Place> mapped = map_ranks(cpus, count, num_ranks, options);
  const Level level = bound_level(num_ranks, options);
  const Level unit = options.bind_to == BindTo::kThread ? Level::kThread : cpu_level(options);
  const Binding binding =
      options.cpus_per_rank ? bind_several(mapped, unit, options) : bind_each(cpus, mapped, level, cpu_level(options));
  if (binding.size() < count && may_stay_unbound) return unbound;
  if (binding.size() < count) too_small(host, count, cpus, level, options);
  if (!options.rank_by) return binding;
  Binding by_number;
  for (size_t position : numbered(cpus, mapped, *options.rank_by)) by_number.push_back(binding[position]);
  return by_number;
}

}  // namespace ds
