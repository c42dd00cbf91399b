// A DeepSpeed JSON -> tree -> settings of the engine.
#include "engine/config/ds_config.h"
#include "engine/config/json_node.h"
#include "tests/fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ds;
  const std::string text(fuzz::text_of(data, size));
  const auto tree = fuzz::answer_of([&] { return read_json(text, "f"); });
  if (!tree) return 0;
  fuzz::require(same_value(read_json(tree->written(), "again"), *tree), "JSON is read as it was written");
  fuzz::answer_of([&] { return resolve_ds_config(text, "f", 2); });
  return 0;
}
