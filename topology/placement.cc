#include "topology/placement.h"

#include <algorithm>
#include <numeric>

#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/gpu_binding.h"

namespace ds {
namespace {

constexpr int kMaxRanks = 1 << 20;

using Counts = std::vector<int>;  // a number for each host

[[noreturn]] void fail(const std::string& text) { throw Error(ErrorCode::kUsage, "placement: " + text); }

int sum(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), 0); }

Counts slots_of(const Cluster& cluster, const PlacementOptions& options) {
  Counts slots;
  for (size_t i = 0; i < cluster.hosts.size(); ++i) {
    const Host& host = cluster.hosts[i];
    if (!host.slots) fail("the slots of host " + host.name + " are not known");
    slots.push_back(options.without == i ? 0 : *host.slots);
  }
  if (sum(slots) == 0) fail(options.without ? "no host is left without this machine" : "no host has slots");
  return slots;
}

std::string slot_list(const Cluster& cluster, const Counts& slots) {
  constexpr size_t kShown = 16;
  std::vector<std::string> parts;
  for (size_t i = 0; i < slots.size() && i < kShown; ++i)
    parts.push_back(cluster.hosts[i].name + ": " + std::to_string(slots[i]));
  return join(parts, ", ") + (slots.size() > kShown ? ", ..." : "");
}

[[noreturn]] void not_enough(const Cluster& cluster, const Counts& slots, int asked, bool oversubscribe) {
  fail("not enough slots: asked " + std::to_string(asked) + ", have " + std::to_string(sum(slots)) + " (" +
       slot_list(cluster, slots) + ")" + (oversubscribe ? "" : ": give more slots or --oversubscribe"));
}

// How many ranks a host can take at most; a host with slots=0 takes none, also when oversubscribed.
Counts bounds_of(const Cluster& cluster, const Counts& slots, bool oversubscribe) {
  Counts bounds = slots;
  for (size_t i = 0; oversubscribe && i < bounds.size(); ++i)
    if (bounds[i] > 0) bounds[i] = std::max(bounds[i], cluster.hosts[i].max_slots.value_or(kMaxRanks));
  return bounds;
}

// Adds one rank to each host in turn until `left` is used up or every host has reached its limit.
void deal(Counts& counts, const Counts& limits, int& left) {
  for (bool any = true; any && left > 0;) {
    any = false;
    for (size_t i = 0; i < counts.size() && left > 0; ++i) {
      if (counts[i] >= limits[i]) continue;
      ++counts[i];
      --left;
      any = true;
    }
  }
}

// Equal shares of what is left, until it is used up or no host has room. As mpirun maps by node: a host without room
// for its share leaves the rest of it for the next round.
void share(Counts& counts, const Counts& limits, int& left) {
  const auto hosts = static_cast<int>(std::count_if(limits.begin(), limits.end(), [](int limit) { return limit > 0; }));
  for (bool any = true; any && left > 0;) {
    any = false;
    const int each = left / hosts;
    int extra = left % hosts;
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] >= limits[i]) continue;
      const int more = std::min(each + (extra-- > 0 ? 1 : 0), limits[i] - counts[i]);
      counts[i] += more;
      left -= more;
      any = true;
    }
  }
}

void fill(Counts& counts, const Counts& limits, int& left) {
  for (size_t i = 0; i < counts.size(); ++i) {
    const int more = std::clamp(limits[i] - counts[i], 0, left);
    counts[i] += more;
    left -= more;
  }
}

// How many ranks -N or ppr:n:object asks of each host.
Counts fixed_counts(const Cluster& cluster, const Counts& slots, const PlacementOptions& options) {
  Counts counts(slots.size());
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i] > 0)
      counts[i] = options.per_node > 0 ? options.per_node : ranks_by_places(cluster.hosts[i], options.binding);
  return counts;
}

Counts count_fixed(const Cluster& cluster, const Counts& slots, const PlacementOptions& options) {
  const Counts bounds = bounds_of(cluster, slots, options.oversubscribe);
  const Counts limits = fixed_counts(cluster, slots, options);
  Counts counts(slots.size());
  int left = options.num_ranks.value_or(sum(limits));
  const int asked = left;
  (options.map_by == MapBy::kNode ? deal : fill)(counts, limits, left);
  for (size_t i = 0; i < slots.size(); ++i)
    if (counts[i] > bounds[i])
      fail(std::to_string(counts[i]) + " ranks per host: host " + cluster.hosts[i].name + " has " +
           std::to_string(bounds[i]) + " slots");
  if (left > 0) {
    const std::string each =
        options.per_node > 0 ? std::to_string(options.per_node) + " per host"
                             : std::to_string(options.binding.per_place) + " per " + name_of(*options.binding.map_by);
    fail("asked for " + std::to_string(asked) + " ranks, but " + each + " make " + std::to_string(sum(limits)));
  }
  return counts;
}

Counts count_ranks(const Cluster& cluster, const Counts& slots, const PlacementOptions& options) {
  if (options.per_node > 0 || options.binding.per_place > 0) return count_fixed(cluster, slots, options);
  Counts counts(slots.size());
  int left = options.num_ranks.value_or(sum(slots));
  const int asked = left;
  const Counts bounds = bounds_of(cluster, slots, options.oversubscribe);
  // As mpirun: by node an oversubscribed job goes round without regard to slots, by slot the excess is spread evenly.
  if (options.map_by == MapBy::kSlot) fill(counts, slots, left);
  else if (asked <= sum(slots)) share(counts, slots, left);
  deal(counts, bounds, left);
  if (left > 0) not_enough(cluster, bounds, asked, options.oversubscribe);
  return counts;
}

// How many ranks a program can have on each host beside those of the programs before it, which max_slots no longer
// counts.
Counts room_of_program(const Cluster& cluster, const Counts& slots, const Counts& used, size_t program,
                       bool oversubscribe) {
  Counts room = slots;
  for (size_t i = 0; i < room.size(); ++i) {
    const Host& host = cluster.hosts[i];
    if (!oversubscribe) room[i] -= used[i];
    if (!host.program_slots.empty()) room[i] = std::min(room[i], host.program_slots[program]);
    if (host.max_slots) room[i] = std::min(room[i], *host.max_slots);
  }
  return room;
}

Counts count_program(Cluster cluster, const Counts& slots, const Counts& used, size_t program,
                     PlacementOptions options) {
  options.num_ranks = options.ranks_of_program[program];
  for (size_t i = 0; i < slots.size(); ++i)
    if (cluster.hosts[i].max_slots) *cluster.hosts[i].max_slots -= used[i];
  try {
    return count_ranks(cluster, room_of_program(cluster, slots, used, program, options.oversubscribe), options);
  } catch (const Error& error) {
    throw Error(error.code(), "program " + std::to_string(program + 1) + ": " + error.what());
  }
}

void add(Counts& counts, const Counts& more) {
  for (size_t i = 0; i < counts.size(); ++i) counts[i] += more[i];
}

// Ranks of each host: one list for each program that has hosts of its own, else one for all.
std::vector<Counts> count_programs(const Cluster& cluster, const Counts& slots, const PlacementOptions& options) {
  if (!options.ranks_of_host.empty()) return {options.ranks_of_host};
  if (options.ranks_of_program.empty()) return {count_ranks(cluster, slots, options)};
  std::vector<Counts> programs;
  Counts used(slots.size());
  for (size_t program = 0; program < options.ranks_of_program.size(); ++program) {
    programs.push_back(count_program(cluster, slots, used, program, options));
    add(used, programs.back());
  }
  return programs;
}

// Host of each rank.
std::vector<size_t> number_ranks(const std::vector<Counts>& programs, bool by_node) {
  std::vector<size_t> host_of_rank;
  for (Counts counts : programs)
    for (int left = sum(counts); left > 0;)
      for (size_t host = 0; host < counts.size(); ++host)
        for (int n = by_node ? std::min(counts[host], 1) : counts[host]; n > 0; --n, --counts[host], --left)
          host_of_rank.push_back(host);
  return host_of_rank;
}

int slot_number(const Host& host, int local_rank) {
  const auto index = static_cast<size_t>(local_rank);
  return index < host.slot_ids.size() ? host.slot_ids[index] : local_rank;
}

std::vector<std::string> gpus_of(const Host& host, int slot) {
  if (host.gpus.empty()) return {};
  if (static_cast<size_t>(slot) >= host.gpus.size())
    fail("host " + host.name + " has " + std::to_string(host.gpus.size()) + " GPUs, a rank was given slot " +
         std::to_string(slot) + ": at most one rank per GPU");
  return {host.gpus[static_cast<size_t>(slot)]};
}

// PE=n binds to CPUs of one kind; to something else it cannot.
void check_cpus_per_rank(const BindingOptions& binding) {
  const BindTo unit = binding.threads_are_cpus ? BindTo::kThread : BindTo::kCore;
  if (!binding.cpus_per_rank || binding.bind_to == unit || binding.bind_to == BindTo::kThread ||
      binding.bind_to == BindTo::kDefault || binding.bind_to == BindTo::kNone || binding.bind_to == BindTo::kShare)
    return;
  fail(std::to_string(*binding.cpus_per_rank) + " CPUs per rank: --bind-to must be " +
       (binding.threads_are_cpus ? "" : "core, ") + "hwthread or none, or left out");
}

void check(const PlacementOptions& options) {
  check_cpus_per_rank(options.binding);
  const int ranks = options.num_ranks.value_or(0);
  if (ranks < 0 || ranks > kMaxRanks)
    fail("number of ranks: " + std::to_string(ranks) + ": must be 0 to " + std::to_string(kMaxRanks));
  if (options.per_node < 0 || options.per_node > kMaxSlots)
    fail("ranks per host: " + std::to_string(options.per_node) + ": must be 1 to " + std::to_string(kMaxSlots));
}

std::vector<std::vector<std::vector<int>>> bind_all(const Cluster& cluster, const Counts& slots, const Counts& counts,
                                                    const PlacementOptions& options) {
  BindingOptions binding = options.binding;
  binding.may_share_cpus = options.oversubscribe;
  std::vector<std::vector<std::vector<int>>> cpus;
  for (size_t i = 0; i < counts.size(); ++i)
    cpus.push_back(bind_ranks(cluster.hosts[i], counts[i], sum(counts), counts[i] > slots[i], binding));
  return cpus;
}

}  // namespace

std::vector<RankPlace> place_ranks(const Cluster& cluster, const PlacementOptions& options) {
  check(options);
  if (options.num_ranks == 0) return {};
  const Counts slots = slots_of(cluster, options);
  const std::vector<Counts> programs = count_programs(cluster, slots, options);
  Counts counts(slots.size());
  for (const Counts& program : programs) add(counts, program);
  const auto cpus = bind_all(cluster, slots, counts, options);
  const bool as_mapped = options.rank_by == RankBy::kDefault && !options.binding.rank_by;
  const bool by_node = options.rank_by == RankBy::kNode || (as_mapped && options.map_by == MapBy::kNode);
  Counts placed(counts.size());
  std::vector<RankPlace> places;
  for (size_t host : number_ranks(programs, by_node)) {
    RankPlace place{.rank = static_cast<int>(places.size()), .host = host, .local_rank = placed[host]++};
    place.slot = slot_number(cluster.hosts[host], place.local_rank);
    place.cpus = cpus[host][static_cast<size_t>(place.local_rank)];
    if (options.gpu_per_rank) place.gpus = gpus_of(cluster.hosts[host], place.slot);
    places.push_back(std::move(place));
  }
  if (options.gpu_per_rank) bind_near_gpus(cluster, places);
  return places;
}

Counts local_sizes(const Cluster& cluster, const std::vector<RankPlace>& places) {
  Counts sizes(cluster.hosts.size());
  for (const RankPlace& place : places) ++sizes[place.host];
  return sizes;
}

void fill_slots(Cluster& cluster, bool training, bool threads_are_cpus) {
  for (Host& host : cluster.hosts) {
    const size_t cpus = threads_are_cpus ? usable_cpus(host, {}).size() : host.cores.size();
    const int gpus = static_cast<int>(host.gpus.size());
    if (!host.slots && training && gpus > 0) host.slots = gpus;
    if (!host.slots && cpus > 0) host.slots = static_cast<int>(cpus);
    if (training && gpus > 0 && host.slot_ids.empty()) host.slots = std::min(*host.slots, gpus);
  }
}

bool places_known(const Cluster& cluster, const PlacementOptions& options) {
  return options.binding.per_place == 0 ||
         std::all_of(cluster.hosts.begin(), cluster.hosts.end(), [](const Host& host) { return !host.cores.empty(); });
}

bool slots_known(const Cluster& cluster) {
  return std::all_of(cluster.hosts.begin(), cluster.hosts.end(),
                     [](const Host& host) { return host.slots.has_value(); });
}

}  // namespace ds
