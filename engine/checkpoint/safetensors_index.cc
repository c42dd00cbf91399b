#include "engine/checkpoint/safetensors_index.h"

#include <nlohmann/json.hpp>

#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {

using nlohmann::json;

SafetensorsIndex parse_safetensors_index(const std::string& text, const std::string& path) {
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::kCorrupt, "safetensors: " + path + ": " + what);
  };
  if (json_depth(text) > kMaxJsonDepth) fail("nested deeper than " + std::to_string(kMaxJsonDepth));
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object() || !root.contains("weight_map") || !root["weight_map"].is_object())
    fail("has no object weight_map");
  SafetensorsIndex index;
  for (const auto& [tensor, file] : root["weight_map"].items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    if (name.empty() || name.find('/') != std::string::npos || name.starts_with('.'))
      fail("tensor '" + tensor + "': file " + file.dump() + " is not a plain file name");
    index[tensor] = name;
  }
  return index;
}

std::string safetensors_index_text(const SafetensorsIndex& index, int64_t total_bytes) {
  return nlohmann::ordered_json{{"metadata", {{"total_size", total_bytes}}}, {"weight_map", index}}.dump(2) + "\n";
}

}  // namespace ds
