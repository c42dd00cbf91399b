#include "topology/dtype.h"

#include <array>

namespace ds {
namespace {

struct Row {
  DType dtype;
  size_t size;
  std::string_view name, safetensors;
};
constexpr std::array<Row, 8> kRows{{{DType::kFloat32, 4, "float32", "F32"},
                                    {DType::kBFloat16, 2, "bfloat16", "BF16"},
                                    {DType::kFloat16, 2, "float16", "F16"},
                                    {DType::kFloat64, 8, "float64", "F64"},
                                    {DType::kInt64, 8, "int64", "I64"},
                                    {DType::kInt32, 4, "int32", "I32"},
                                    {DType::kUInt16, 2, "uint16", "U16"},
                                    {DType::kUInt8, 1, "uint8", "U8"}}};

const Row& row(DType dtype) { return kRows[static_cast<size_t>(dtype)]; }

}  // namespace

size_t size_of(DType dtype) { return row(dtype).size; }
std::string_view name_of(DType dtype) { return row(dtype).name; }

std::optional<DType> dtype_named(std::string_view name) {
  for (const Row& r : kRows)
    if (r.name == name || r.safetensors == name) return r.dtype;
  return std::nullopt;
}

}  // namespace ds
