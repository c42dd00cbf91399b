#include "engine/checkpoint/read_plan.h"

#include <algorithm>
#include <tuple>

#include "topology/base/error.h"

namespace ds {
namespace {

const ManifestTensor& tensor_for(const Manifest& manifest, const TensorPiece& piece) {
  const TensorInfo& info = piece.tensor;
  const ManifestTensor* found = manifest.find(info.name, info.kind);
  const std::string what = "checkpoint: " + describe(info) + ": ";
  if (!found) throw Error(ErrorCode::kUsage, what + "not in the checkpoint");
  if (found->info.shape != info.shape || found->info.dtype != info.dtype)
    throw Error(ErrorCode::kUsage,
                what + shape_text(info) + " wanted, " + shape_text(found->info) + " in the checkpoint");
  const int64_t total = found->info.count();
  if (piece.offset < 0 || piece.count < 0 || piece.offset > total || piece.count > total - piece.offset)
    throw Error(ErrorCode::kUsage, what + "elements from " + std::to_string(piece.offset) +
                                       ", count=" + std::to_string(piece.count) + " wanted: it has " +
                                       std::to_string(total));
  return *found;
}

void add_copies(const ManifestTensor& tensor, const TensorPiece& wanted, std::vector<FileCopy>& copies) {
  const auto element = static_cast<int64_t>(size_of(tensor.info.dtype));
  const int64_t end = wanted.offset + wanted.count;
  // The first stored piece that ends behind the wanted start.
  auto stored = std::partition_point(tensor.pieces.begin(), tensor.pieces.end(), [&](const ManifestPiece& p) {
    return p.offset + p.count <= wanted.offset;
  });
  for (; stored != tensor.pieces.end() && stored->offset < end; ++stored) {
    const int64_t from = std::max(stored->offset, wanted.offset);
    const int64_t to = std::min(stored->offset + stored->count, end);
    copies.push_back({stored->file, stored->file_offset + (from - stored->offset) * element, (to - from) * element,
                      static_cast<std::byte*>(wanted.data) + (from - wanted.offset) * element, &tensor.info});
  }
}

}  // namespace

std::vector<FileCopy> plan_read(const Manifest& manifest, const std::vector<TensorPiece>& wanted) {
  std::vector<FileCopy> copies;
  for (const TensorPiece& piece : wanted) {
    const ManifestTensor& tensor = tensor_for(manifest, piece);
    if (piece.count > 0) add_copies(tensor, piece, copies);
  }
  std::sort(copies.begin(), copies.end(), [](const FileCopy& a, const FileCopy& b) {
    return std::tie(a.file, a.file_offset) < std::tie(b.file, b.file_offset);
  });
  return copies;
}

}  // namespace ds
