#include "launcher/hang/hang_culprit.h"

#include <algorithm>
#include <functional>

#include "launcher/control/rank_table.h"

namespace ds {
namespace {

using Stands = std::vector<const RankStand*>;

Stands select(const std::vector<RankStand>& stands, const std::function<bool(const RankStand&)>& condition) {
  Stands result;
  for (const RankStand& stand : stands)
    if (condition(stand)) result.push_back(&stand);
  return result;
}

std::vector<int> ranks_of(const Stands& stands) {
  std::vector<int> ranks;
  for (const RankStand* stand : stands) ranks.push_back(stand->rank);
  return ranks;
}

// "rank 3 on node2 has", "ranks 3-5 have", "rank 3 on node2, which has ended, has".
std::string subject(const Stands& stands, const char* one, const char* many) {
  const bool all_ended = std::all_of(stands.begin(), stands.end(), [](const RankStand* stand) { return stand->ended; });
  if (stands.size() > 1)
    return "ranks " + ranges_text(ranks_of(stands)) + (all_ended ? ", which have ended, " : " ") + many;
  const RankStand& stand = *stands[0];
  return "rank " + std::to_string(stand.rank) + (stand.host.empty() ? "" : " on " + stand.host) +
         (all_ended ? ", which has ended, " : " ") + one;
}

std::string others(size_t count) { return std::to_string(count) + (count == 1 ? " other" : " others"); }

bool held_by_kernel(const RankStand& stand) { return !stand.ended && stand.sign.process_state == 'D'; }

// Of one culprit, what else is known.
std::string detail(const Stands& stands) {
  if (stands.size() != 1 || !held_by_kernel(*stands[0])) return "";
  return "; the kernel holds it (state D: a disk, a network file system or a device)";
}

std::string seconds_text(double value) { return std::to_string(static_cast<long long>(value)) + " s"; }

// The ranks that are behind `ahead` in a counter; empty when nobody is.
Stands behind(const std::vector<RankStand>& stands, uint64_t RankSign::*counter) {
  uint64_t least = UINT64_MAX, most = 0;
  for (const RankStand& stand : stands) {
    least = std::min(least, stand.sign.*counter);
    most = std::max(most, stand.sign.*counter);
  }
  if (least == most) return {};
  return select(stands, [&](const RankStand& stand) { return stand.sign.*counter == least; });
}

// Not absent by their own will: they are inside an earlier collective, which all others have finished.
std::string left_behind(const std::vector<RankStand>& stands, const Stands& absent) {
  const uint64_t number = absent[0]->sign.done + 1;
  const size_t inside = static_cast<size_t>(std::count_if(absent.begin(), absent.end(), [&](const RankStand* stand) {
    return stand->sign.done + 1 == number && stand->sign.entered >= number;
  }));
  const size_t finished = select(stands, [&](const RankStand& stand) { return stand.sign.done >= number; }).size();
  if (inside < absent.size() || inside + finished < stands.size()) return "";
  return "; still inside collective " + std::to_string(number) + ", which " + others(finished) +
         (finished == 1 ? " has" : " have") + " finished";
}

Culprits absent_from_collective(const std::vector<RankStand>& stands, const Stands& absent) {
  const uint64_t number = absent[0]->sign.entered + 1;
  return {ranks_of(absent), subject(absent, "has", "have") + " not entered collective " + std::to_string(number) +
                                ", in which " + others(stands.size() - absent.size()) + " wait" +
                                (stands.size() - absent.size() == 1 ? "s" : "") + left_behind(stands, absent) +
                                detail(absent)};
}

Culprits inside_collective(const std::vector<RankStand>& stands, const Stands& slow) {
  const uint64_t number = slow[0]->sign.done + 1;
  return {ranks_of(slow), subject(slow, "has", "have") + " not finished collective " + std::to_string(number) +
                              ", which " + others(stands.size() - slow.size()) +
                              (stands.size() - slow.size() == 1 ? " has" : " have") + " finished" + detail(slow)};
}

Culprits outside_collectives(const std::vector<RankStand>& stands, const Stands& alive) {
  const Stands held = select(stands, held_by_kernel);
  if (!held.empty() && held.size() < alive.size())
    return {ranks_of(held),
            subject(held, "is", "are") + " held by the kernel (state D: a disk, a network file system or a device)"};
  const RankStand* oldest = *std::max_element(alive.begin(), alive.end(), [](const RankStand* a, const RankStand* b) {
    return a->still_since < b->still_since;
  });
  const std::string text = subject({oldest}, "has", "have") + " not moved for " + seconds_text(oldest->still_since);
  return {
      {oldest->rank},
      alive.size() == 1 ? text : text + ", longer than the others; no rank waits in a collective" + detail({oldest})};
}

}  // namespace

Culprits find_culprits(const std::vector<RankStand>& stands) {
  const Stands alive = select(stands, [](const RankStand& stand) { return !stand.ended; });
  if (alive.empty()) return {};
  const Stands stopped =
      select(stands, [](const RankStand& stand) { return !stand.ended && stand.sign.process_state == 'T'; });
  if (!stopped.empty()) return {ranks_of(stopped), subject(stopped, "is", "are") + " stopped by a signal (state T)"};
  const Stands silent = select(stands, [](const RankStand& stand) { return !stand.ended && !stand.heard; });
  if (!silent.empty()) return {ranks_of(silent), subject(silent, "has", "have") + " said nothing since the start"};
  if (const Stands absent = behind(stands, &RankSign::entered); !absent.empty())
    return absent_from_collective(stands, absent);
  if (const Stands slow = behind(stands, &RankSign::done); !slow.empty()) return inside_collective(stands, slow);
  const RankSign& sign = alive[0]->sign;
  if (sign.done == sign.entered) return outside_collectives(stands, alive);
  return {{},
          "all " + std::to_string(stands.size()) + " ranks are inside collective " + std::to_string(sign.done + 1) +
              " and none gets out of it: a link or a device stands still, a rank is stuck inside it, or they gave it "
              "unequal sizes"};
}

}  // namespace ds
