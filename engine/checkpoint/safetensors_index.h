// model.safetensors.index.json: which file of a folder holds which tensor. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ds {

inline constexpr const char* kSafetensorsFile = "model.safetensors";
inline constexpr const char* kSafetensorsIndex = "model.safetensors.index.json";

using SafetensorsIndex = std::map<std::string, std::string>;  // tensor -> file name within the folder

// Throws kCorrupt naming `path`; file names that leave the folder are refused.
SafetensorsIndex parse_safetensors_index(const std::string& text, const std::string& path);

std::string safetensors_index_text(const SafetensorsIndex& index, int64_t total_bytes);

}  // namespace ds
