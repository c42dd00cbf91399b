#include "engine/checkpoint/safetensors_header.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "engine/checkpoint/manifest.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using nlohmann::json;

constexpr const char* kMetadata = "__metadata__";
constexpr int64_t kLengthBytes = 8;

// What a check found wrong; the caller knows the file.
struct Fault {
  std::string text;
};
[[noreturn]] void fail(const std::string& text) { throw Fault{text}; }

int64_t header_bytes(std::string_view file) {
  if (static_cast<int64_t>(file.size()) < kLengthBytes) fail("too short to be a safetensors file");
  uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > static_cast<uint64_t>(kMaxSafetensorsHeader))
    fail("header length=" + std::to_string(length) + ": allowed are " + std::to_string(kMaxSafetensorsHeader));
  if (length < 2 || length > file.size() - kLengthBytes)
    fail("header length=" + std::to_string(length) + " does not fit a file of " + std::to_string(file.size()) +
         " bytes");
  return static_cast<int64_t>(length);
}

// JSON allows an object to repeat a name and the parser keeps the last; here that would hide a tensor.
json parse_without_repeats(std::string_view text) {
  if (json_depth(text) > kMaxJsonDepth) fail("header is nested deeper than " + std::to_string(kMaxJsonDepth));
  std::set<std::string> names;
  const auto check = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::key && depth == 1 && !names.insert(value.get<std::string>()).second)
      fail("tensor '" + value.get<std::string>() + "' is there twice");
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::exception& error) {
    fail(std::string("header is not JSON: ") + error.what());
  }
}

int64_t size_from(const json& value, const std::string& what) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > INT64_MAX)
    fail(what + "=" + value.dump() + " is not a size");
  return value.get<int64_t>();
}

SafetensorsEntry entry_from(const std::string& name, const json& value, int64_t data_bytes) {
  const std::string what = "tensor '" + name + "': ";
  if (!value.is_object()) fail(what + "not described by an object");
  for (const char* key : {"dtype", "shape", "data_offsets"})
    if (!value.contains(key)) fail(what + key + " is missing");
  if (!value["dtype"].is_string()) fail(what + "dtype is not a text");
  const std::string type = value["dtype"];
  const auto dtype = dtype_named(type);
  if (!dtype || safetensors_name_of(*dtype) != type)
    fail(what + "dtype=" + type + ": supported are F64, F32, F16, BF16, I64, I32, U16, U8");
  SafetensorsEntry entry{name, *dtype, {}, 0, 0};
  if (!value["shape"].is_array()) fail(what + "shape is not a list");
  for (const json& size : value["shape"]) entry.shape.push_back(size_from(size, what + "shape"));
  const json& offsets = value["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2) fail(what + "data_offsets are not two numbers");
  entry.begin = size_from(offsets[0], what + "data_offsets");
  entry.end = size_from(offsets[1], what + "data_offsets");
  if (entry.begin > entry.end || entry.end > data_bytes)
    fail(what + "data_offsets=" + offsets.dump() + " do not fit " + std::to_string(data_bytes) + " bytes of data");
  const int64_t count = checked_count(entry.shape);
  if (count < 0 || count * static_cast<int64_t>(size_of(*dtype)) != entry.end - entry.begin)
    fail(what + "shape=" + value["shape"].dump() + " of " + type + " does not take " +
         std::to_string(entry.end - entry.begin) + " bytes");
  return entry;
}

void check_tiling(const std::vector<SafetensorsEntry>& entries, int64_t data_bytes) {
  int64_t end = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != end)
      fail("tensor '" + entry.name + "': data_offsets start at " + std::to_string(entry.begin) +
           " where the one before ends at " + std::to_string(end));
    end = entry.end;
  }
  if (end == data_bytes) return;
  const std::string after = entries.empty() ? "without any tensor" : "after tensor '" + entries.back().name + "'";
  fail(std::to_string(data_bytes - end) + " bytes of data " + after + " belong to none");
}

}  // namespace

std::vector<SafetensorsEntry> parse_safetensors(std::string_view file, const std::string& path, int64_t* data_start) {
  try {
    const int64_t length = header_bytes(file);
    const int64_t data_bytes = static_cast<int64_t>(file.size()) - kLengthBytes - length;
    if (file[kLengthBytes] != '{') fail("header does not start with {");
    const json root = parse_without_repeats(file.substr(kLengthBytes, static_cast<size_t>(length)));
    std::vector<SafetensorsEntry> entries;
    for (const auto& [name, value] : root.items())
      if (name != kMetadata) entries.push_back(entry_from(name, value, data_bytes));
    std::sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
      return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    check_tiling(entries, data_bytes);
    *data_start = kLengthBytes + length;
    return entries;
  } catch (const Fault& fault) {
    throw Error(ErrorCode::kCorrupt, "safetensors: " + path + ": " + fault.text);
  }
}

std::string safetensors_header(const std::vector<SafetensorsEntry>& entries) {
  nlohmann::ordered_json root;
  root[kMetadata] = {{"format", "pt"}};
  for (const SafetensorsEntry& entry : entries)
    root[entry.name] = {{"dtype", safetensors_name_of(entry.dtype)},
                        {"shape", entry.shape},
                        {"data_offsets", {entry.begin, entry.end}}};
  std::string text = root.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), kLengthBytes) + text;
}

std::string safetensors_name_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "F32";
    case DType::kBFloat16:
      return "BF16";
    case DType::kFloat16:
      return "F16";
    case DType::kFloat64:
      return "F64";
    case DType::kInt64:
      return "I64";
    case DType::kInt32:
      return "I32";
    case DType::kUInt16:
      return "U16";
    case DType::kUInt8:
      return "U8";
  }
  return "";
}

}  // namespace ds
