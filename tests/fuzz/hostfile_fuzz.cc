// Hostfiles -> hosts.
#include "hostfiles/hostfile.h"

#include "tests/fuzz/expect.h"
#include "tests/fuzz/host_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ds;
  const auto hostfile = fuzz::answer_of([&] { return parse_hostfile(fuzz::text_of(data, size), "f"); });
  if (!hostfile) return 0;
  for (const bool one_slot_per_line : {false, true}) {
    const Cluster cluster = hosts_of(*hostfile, one_slot_per_line);
    fuzz::require(!cluster.hosts.empty(), "a hostfile that is read has a host");
    const Cluster again = hosts_of(parse_hostfile(fuzz::hostfile_text(cluster), "again"), one_slot_per_line);
    fuzz::require(cluster == again, "hosts are read as they were written");
  }
  return 0;
}
