#include "engine/checkpoint/manifest.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>

#include "engine/checkpoint/coverage.h"
#include "engine/checkpoint/crc32c.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using nlohmann::json;

// The text ends with this, so that the checksum covers all before it and a person can still read the file as JSON.
constexpr std::string_view kTailStart = ",\n\"crc32c\": \"";
constexpr size_t kTailBytes = kTailStart.size() + 8 + 3;  // eight digits, `"}` and a line end

std::string tail_for(std::string_view body) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", crc32c(body.data(), body.size()));
  return std::string(kTailStart) + digits + "\"}\n";
}

json tensor_json(const ManifestTensor& tensor, const std::vector<ManifestFile>& files) {
  json pieces = json::array();
  for (const ManifestPiece& p : tensor.pieces)
    pieces.push_back({{"file", files[p.file].name},
                      {"file_offset", p.file_offset},
                      {"offset", p.offset},
                      {"count", p.count}});
  return {{"name", tensor.info.name},
          {"kind", tensor.info.kind},
          {"dtype", std::string(name_of(tensor.info.dtype))},
          {"shape", tensor.info.shape},
          {"pieces", std::move(pieces)}};
}

template <class Items, class ToJson>
std::string lines(const Items& items, ToJson to_json) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "\n  " : ",\n  ") + to_json(item).dump();
  return "[" + text + (text.empty() ? "]" : "\n]");
}

[[noreturn]] void fail(const std::string& what) { throw std::invalid_argument(what); }

const json& member(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) fail("member '" + std::string(key) + "' is missing");
  return object.at(key);
}

int64_t integer(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX) ||
      value.get<int64_t>() < 0)
    fail("member '" + std::string(key) + "'=" + value.dump() + " is not a count");
  return value.get<int64_t>();
}

std::string word(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_string()) fail("member '" + std::string(key) + "' is not a text");
  return value.get<std::string>();
}

const json& list(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_array()) fail("member '" + std::string(key) + "' is not a list");
  return value;
}

ManifestFile file_from(const json& object) {
  ManifestFile file{word(object, "name"), integer(object, "bytes"), integer(object, "block_bytes"), {}};
  if (file.name.empty() || file.name.find('/') != std::string::npos || file.name.starts_with('.'))
    fail("file name '" + file.name + "' is not a plain name");
  if (file.block_bytes == 0) fail("file " + file.name + ": block_bytes=0");
  for (const json& block : list(object, "blocks")) {
    if (!block.is_number_unsigned() || block.get<uint64_t>() > UINT32_MAX)
      fail("file " + file.name + ": block checksum " + block.dump() + " is not a 32-bit number");
    file.blocks.push_back(block.get<uint32_t>());
  }
  if (static_cast<int64_t>(file.blocks.size()) != file.num_blocks())
    fail("file " + file.name + ": " + std::to_string(file.blocks.size()) + " block checksums instead of " +
         std::to_string(file.num_blocks()));
  return file;
}

TensorInfo info_from(const json& object) {
  TensorInfo info{word(object, "name"), word(object, "kind"), DType::kFloat32, {}};
  const auto dtype = dtype_named(word(object, "dtype"));
  if (!dtype) fail(describe(info) + ": dtype=" + word(object, "dtype") + " is unknown");
  info.dtype = *dtype;
  for (const json& size : list(object, "shape")) {
    if (!size.is_number_unsigned() || size.get<uint64_t>() > INT64_MAX) fail(describe(info) + ": shape is not sizes");
    info.shape.push_back(size.get<int64_t>());
  }
  if (checked_count(info.shape) < 0) fail(describe(info) + ": shape is too large");
  return info;
}

ManifestTensor tensor_from(const json& object, const std::vector<ManifestFile>& files,
                           const std::map<std::string, int>& file_numbers) {
  ManifestTensor tensor{info_from(object), {}};
  const auto element = static_cast<int64_t>(size_of(tensor.info.dtype));
  std::vector<OwnedRange> ranges;
  for (const json& entry : list(object, "pieces")) {
    const std::string name = word(entry, "file");
    const auto found = file_numbers.find(name);
    if (found == file_numbers.end()) fail(describe(tensor.info) + ": file " + name + " is not listed");
    const ManifestPiece piece{found->second, integer(entry, "file_offset"), integer(entry, "offset"),
                              integer(entry, "count")};
    const int64_t bytes = files[piece.file].bytes;
    if (piece.file_offset > bytes || piece.count > (bytes - piece.file_offset) / element)
      fail(describe(tensor.info) + ": piece at file_offset=" + std::to_string(piece.file_offset) + " leaves file " +
           name);
    tensor.pieces.push_back(piece);
    ranges.push_back({piece.offset, piece.count, name});
  }
  const std::string problem = coverage_problem(std::move(ranges), tensor.info.count());
  if (!problem.empty()) fail(describe(tensor.info) + ": " + problem);
  std::erase_if(tensor.pieces, [](const ManifestPiece& p) { return p.count == 0; });
  std::sort(tensor.pieces.begin(), tensor.pieces.end(),
            [](const ManifestPiece& a, const ManifestPiece& b) { return a.offset < b.offset; });
  return tensor;
}

Manifest manifest_from(const json& root) {
  if (word(root, "format") != "dslaunch checkpoint") fail("format is not 'dslaunch checkpoint'");
  if (const int64_t version = integer(root, "version"); version != kCheckpointFormatVersion)
    fail("version=" + std::to_string(version) + ": this program reads version " +
         std::to_string(kCheckpointFormatVersion));
  Manifest manifest;
  manifest.step = integer(root, "step");
  manifest.state = member(root, "state").dump();
  std::map<std::string, int> file_numbers;
  for (const json& entry : list(root, "files")) {
    manifest.files.push_back(file_from(entry));
    const std::string& name = manifest.files.back().name;
    if (!file_numbers.emplace(name, static_cast<int>(manifest.files.size()) - 1).second)
      fail("file " + name + " is listed twice");
  }
  std::set<std::pair<std::string, std::string>> seen;
  for (const json& entry : list(root, "tensors")) {
    manifest.tensors.push_back(tensor_from(entry, manifest.files, file_numbers));
    const TensorInfo& info = manifest.tensors.back().info;
    if (!seen.emplace(info.name, info.kind).second) fail(describe(info) + " is listed twice");
  }
  return manifest;
}

bool by_name(const ManifestTensor& a, const ManifestTensor& b) {
  return std::tie(a.info.name, a.info.kind) < std::tie(b.info.name, b.info.kind);
}

}  // namespace

const ManifestTensor* Manifest::find(const std::string& name, const std::string& kind) const {
  ManifestTensor wanted;
  wanted.info.name = name;
  wanted.info.kind = kind;
  const auto at = std::lower_bound(tensors.begin(), tensors.end(), wanted, by_name);
  return at != tensors.end() && at->info.name == name && at->info.kind == kind ? &*at : nullptr;
}

std::string describe(const TensorInfo& tensor) { return "tensor '" + tensor.name + "' (" + tensor.kind + ")"; }

std::string shape_text(const TensorInfo& tensor) {
  std::string sizes;
  for (int64_t size : tensor.shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  return std::string(name_of(tensor.dtype)) + " [" + sizes + "]";
}

int64_t checked_count(const std::vector<int64_t>& shape) {
  // A zero anywhere makes the tensor empty, but the other sizes must still be sane.
  int64_t count = 1;
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0) return -1;
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(count, size, &count) || count > INT64_MAX / 8) {
      return -1;
    }
  }
  return empty ? 0 : count;
}

std::string manifest_text(const Manifest& manifest) {
  std::string text = "{\"format\": \"dslaunch checkpoint\", \"version\": " + std::to_string(kCheckpointFormatVersion) +
                     ",\n\"step\": " + std::to_string(manifest.step) + ",\n\"state\": " + manifest.state;
  text += ",\n\"tensors\": " + lines(manifest.tensors, [&](const auto& t) { return tensor_json(t, manifest.files); });
  text += ",\n\"files\": " + lines(manifest.files, [](const ManifestFile& f) {
            return json{{"name", f.name}, {"bytes", f.bytes}, {"block_bytes", f.block_bytes}, {"blocks", f.blocks}};
          });
  return text + tail_for(text);
}

Manifest parse_manifest(const std::string& text, const std::string& path) {
  const std::string where = "checkpoint: " + path + ": ";
  const size_t body = text.size() < kTailBytes ? 0 : text.size() - kTailBytes;
  if (text.size() < kTailBytes || tail_for(std::string_view(text).substr(0, body)) != text.substr(body))
    throw Error(ErrorCode::kCorrupt, where + "damaged or cut off: its checksum does not match");
  if (json_depth(text) > kMaxJsonDepth)
    throw Error(ErrorCode::kCorrupt, where + "nested deeper than " + std::to_string(kMaxJsonDepth));
  try {
    Manifest manifest = manifest_from(json::parse(text));
    std::sort(manifest.tensors.begin(), manifest.tensors.end(), by_name);
    return manifest;
  } catch (const std::exception& error) {
    throw Error(ErrorCode::kCorrupt, where + error.what());
  }
}

}  // namespace ds
