// The header of a safetensors file: text <-> entries, with every check that needs no data. Pure.
//
// A file is: u64 little-endian n; n bytes of JSON; the data. Offsets count from the start of the data; the tensors tile
// it without gaps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topology/dtype.h"

namespace ds {

inline constexpr int64_t kMaxSafetensorsHeader = 100'000'000;

struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<int64_t> shape;
  int64_t begin = 0, end = 0;  // bytes within the data
};

// `file` is the whole file. Entries in the order of their data. Throws kCorrupt naming `path` and, where one is at
// fault, the tensor. data_start gets the place of the first byte of data.
std::vector<SafetensorsEntry> parse_safetensors(std::string_view file, const std::string& path, int64_t* data_start);

// Length and JSON, padded with blanks to a multiple of 8 bytes.
std::string safetensors_header(const std::vector<SafetensorsEntry>& entries);

std::string safetensors_name_of(DType dtype);  // "F32"

}  // namespace ds
