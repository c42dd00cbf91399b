// Rankfiles -> ranks with hosts and cores -> places on a small cluster.
#include "hostfiles/rankfile.h"

#include <algorithm>

#include "tests/fuzz/expect.h"

namespace ds::fuzz {
namespace {

std::string range_text(const CoreRange& range) {
  const std::string socket = range.socket ? std::to_string(*range.socket) + ":" : "";
  if (range.last < 0) return socket + "*";
  return socket + std::to_string(range.first) + "-" + std::to_string(range.last);
}

std::string rankfile_text(const Rankfile& rankfile) {
  std::string text;
  for (const RankfileEntry& entry : rankfile.entries) {
    text += "rank " + std::to_string(entry.rank) + "=";
    text += entry.host_index ? "+n" + std::to_string(*entry.host_index) : entry.host;
    for (size_t i = 0; i < entry.cores.size(); ++i) text += (i ? "," : " slot=") + range_text(entry.cores[i]);
    text += "\n";
  }
  return text;
}

bool same_entries(const Rankfile& a, const Rankfile& b) {
  const auto same = [](const RankfileEntry& x, const RankfileEntry& y) {
    return x.rank == y.rank && x.host == y.host && x.host_index == y.host_index && x.cores == y.cores;
  };
  return std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(), same);
}

void check_places(const Rankfile& rankfile) {
  const Cluster cluster{{{.name = "a", .slots = 3, .cores = {0, 1, 2, 3}, .socket_of_core = {0, 0, 1, 1}},
                         {.name = "b", .cores = {5, 7}},
                         {.name = "c"}}};
  const auto places = answer_of([&] { return place_ranks(cluster, rankfile); });
  if (places) require(places->size() == rankfile.entries.size(), "every rank has a place");
  answer_of([&] { return hosts_of(rankfile); });
}

}  // namespace
}  // namespace ds::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ds;
  const auto rankfile = fuzz::answer_of([&] { return parse_rankfile(fuzz::text_of(data, size), "f"); });
  if (!rankfile) return 0;
  fuzz::require(fuzz::same_entries(*rankfile, parse_rankfile(fuzz::rankfile_text(*rankfile), "again")),
                "ranks are read as they were written");
  fuzz::check_places(*rankfile);
  return 0;
}
