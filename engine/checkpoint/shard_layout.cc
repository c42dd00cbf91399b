#include "engine/checkpoint/shard_layout.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/checkpoint/coverage.h"
#include "topology/base/error.h"

namespace ds {
namespace {

using nlohmann::json;

struct Merged {
  ManifestTensor tensor;
  std::vector<OwnedRange> ranges;
  int first_rank = 0;
};

void add(Merged& merged, const ShardLayout::Place& place, int rank, int file) {
  if (merged.ranges.empty()) {
    merged.tensor.info = place.tensor;
    merged.first_rank = rank;
  }
  const TensorInfo& info = merged.tensor.info;
  if (info.shape != place.tensor.shape || info.dtype != place.tensor.dtype)
    throw Error(ErrorCode::kInternal, "checkpoint: " + describe(info) + ": " + shape_text(info) + " on rank " +
                                          std::to_string(merged.first_rank) + ", " + shape_text(place.tensor) +
                                          " on rank " + std::to_string(rank));
  merged.ranges.push_back({place.offset, place.count, "rank " + std::to_string(rank)});
  if (place.count > 0) merged.tensor.pieces.push_back({file, place.file_offset, place.offset, place.count});
}

}  // namespace

ShardLayout lay_out(const std::vector<TensorPiece>& pieces, int64_t alignment) {
  ShardLayout layout;
  for (const TensorPiece& piece : pieces) {
    const int64_t total = checked_count(piece.tensor.shape);
    if (total < 0 || piece.offset < 0 || piece.count < 0 || piece.offset > total || piece.count > total - piece.offset)
      throw Error(ErrorCode::kInternal, "checkpoint: " + describe(piece.tensor) + ": " + shape_text(piece.tensor) +
                                            ": piece offset=" + std::to_string(piece.offset) +
                                            " count=" + std::to_string(piece.count) + " is outside the tensor");
    const int64_t start = piece.count == 0 ? 0 : (layout.bytes + alignment - 1) / alignment * alignment;
    layout.places.push_back({piece.tensor, piece.offset, piece.count, start});
    if (piece.count > 0) layout.bytes = start + piece.count * static_cast<int64_t>(size_of(piece.tensor.dtype));
  }
  return layout;
}

std::string shard_name(int rank) { return "rank" + std::to_string(rank) + ".bin"; }

std::string to_bytes(const ShardLayout& layout) {
  json places = json::array();
  for (const auto& p : layout.places)
    places.push_back({p.tensor.name, p.tensor.kind, static_cast<int>(p.tensor.dtype), p.tensor.shape, p.offset, p.count,
                      p.file_offset});
  const std::vector<uint8_t> bytes = json::to_cbor(json{{"bytes", layout.bytes}, {"places", std::move(places)}});
  return {bytes.begin(), bytes.end()};
}

ShardLayout layout_from_bytes(const std::string& bytes) {
  const json value = json::from_cbor(bytes);
  ShardLayout layout;
  layout.bytes = value.at("bytes");
  for (const json& p : value.at("places")) {
    TensorInfo info{p.at(0), p.at(1), static_cast<DType>(p.at(2).get<int>()), p.at(3)};
    layout.places.push_back({std::move(info), p.at(4), p.at(5), p.at(6)});
  }
  return layout;
}

Manifest merge(const std::vector<ShardLayout>& layouts, int64_t block_bytes) {
  Manifest manifest;
  std::map<std::pair<std::string, std::string>, Merged> tensors;
  for (int rank = 0; rank < static_cast<int>(layouts.size()); ++rank) {
    const ShardLayout& layout = layouts[rank];
    const int file = static_cast<int>(manifest.files.size());
    if (layout.bytes > 0) manifest.files.push_back({shard_name(rank), layout.bytes, block_bytes, {}});
    for (const auto& place : layout.places) add(tensors[{place.tensor.name, place.tensor.kind}], place, rank, file);
  }
  for (auto& [key, merged] : tensors) {
    const std::string problem = coverage_problem(merged.ranges, merged.tensor.info.count());
    if (!problem.empty())
      throw Error(ErrorCode::kInternal, "checkpoint: " + describe(merged.tensor.info) + ": " + problem);
    std::sort(merged.tensor.pieces.begin(), merged.tensor.pieces.end(),
              [](const ManifestPiece& a, const ManifestPiece& b) { return a.offset < b.offset; });
    manifest.tensors.push_back(std::move(merged.tensor));
  }
  return manifest;
}

}  // namespace ds
