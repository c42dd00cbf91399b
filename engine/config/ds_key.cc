#include "engine/config/ds_key.h"

namespace ds {

std::string_view name_of(Answer answer) {
  switch (answer) {
    case Answer::kSupported:
      return "supported";
    case Answer::kAccepted:
      return "accepted without effect";
    case Answer::kLater:
      return "not supported yet";
    case Answer::kRemoved:
      return "refused by DeepSpeed too";
  }
  return "";
}

const std::vector<DsKey>& ds_keys() {
  static const std::vector<DsKey> all = [] {
    std::vector<DsKey> keys;
    for (const auto& part :
         {ds_top_keys(), ds_zero_keys(), ds_parallel_keys(), ds_data_keys(), ds_inference_keys()})
      keys.insert(keys.end(), part.begin(), part.end());
    return keys;
  }();
  return all;
}

}  // namespace ds
