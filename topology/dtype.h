// Element types that cross processes and files, and their sizes and names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ds {

enum class DType : uint8_t { kFloat32, kBFloat16, kFloat16, kFloat64, kInt64, kInt32, kUInt16, kUInt8 };

size_t size_of(DType dtype);                            // bytes an element
std::string_view name_of(DType dtype);                  // "float32", "bfloat16", …
std::optional<DType> dtype_named(std::string_view name);  // also the safetensors names "F32", "BF16", …

}  // namespace ds
