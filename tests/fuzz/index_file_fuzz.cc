// The .idx of an indexed dataset -> sequences and documents. The input is 8 bytes, the size of the .bin (little-endian:
// a lie, mostly), and then the .idx.
#include "engine/data/index_file.h"

#include <cstring>

#include "tests/fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ds;
  int64_t bin_bytes = 0;
  if (size < sizeof bin_bytes) return 0;
  std::memcpy(&bin_bytes, data, sizeof bin_bytes);
  const std::string_view bytes = fuzz::text_of(data, size).substr(sizeof bin_bytes);
  const auto index = fuzz::answer_of([&] { return parse_index(bytes, bin_bytes, "f.idx"); });
  if (!index) return 0;
  fuzz::require(index->num_tokens * size_of(index->type) == bin_bytes, "the index describes its .bin");
  const TokenIndex again = parse_index(index_bytes(index->type, index->sizes, index->documents), bin_bytes, "again");
  fuzz::require(again.type == index->type && again.sizes == index->sizes && again.documents == index->documents,
                "an index is read as it was written");
  return 0;
}
