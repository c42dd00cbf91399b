// One text as each kind of host list that an option or a variable may hold: Slurm's node lists and counts, -H,
// --include and --exclude.
#include "hostfiles/filter.h"
#include "hostfiles/host_option.h"
#include "hostfiles/slurm_nodelist.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/host_text.h"
#include "topology/base/text.h"

namespace ds::fuzz {
namespace {

void check_slurm(std::string_view text) {
  if (const auto nodes = answer_of([&] { return parse_slurm_nodelist(text); }))
    require(parse_slurm_nodelist(join(*nodes, ",")) == *nodes, "nodes are read as they were written");
  if (const auto counts = answer_of([&] { return parse_slurm_counts(text); })) {
    std::vector<std::string> words;
    for (int count : *counts) words.push_back(std::to_string(count));
    require(parse_slurm_counts(join(words, ",")) == *counts, "counts are read as they were written");
  }
}

void check_host_option(std::string_view text) {
  const auto cluster = answer_of([&] { return parse_host_option(text); });
  if (!cluster) return;
  require(!cluster->hosts.empty(), "a host list that is read has a host");
  require(parse_host_option(host_option_text(*cluster)) == *cluster, "hosts are read as they were written");
}

void check_filter(std::string_view text) {
  const Cluster cluster{{{.name = "a", .slots = 4},
                         {.name = "b"},
                         {.name = "n1", .slots = 2},
                         {.name = "n2", .slots = 3},
                         {.name = "2001:db8::1", .slots = 2}}};
  for (const bool including : {true, false}) {
    const auto left = answer_of([&] { return filter_hosts(cluster, including ? text : "", including ? "" : text); });
    if (left) require(!left->hosts.empty() && left->hosts.size() <= cluster.hosts.size(), "a filter only takes away");
  }
}

}  // namespace
}  // namespace ds::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = ds::fuzz::text_of(data, size);
  ds::fuzz::check_slurm(text);
  ds::fuzz::check_host_option(text);
  ds::fuzz::check_filter(text);
  return 0;
}
