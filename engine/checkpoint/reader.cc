// CheckpointReader: opening a step folder, reading pieces of it, checking all of it.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/checkpoint/checked_file.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/manifest.h"
#include "engine/checkpoint/read_plan.h"
#include "engine/checkpoint/step_folders.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace fs = std::filesystem;

struct CheckpointReader::Impl {
  std::string folder;
  Manifest manifest;
  nlohmann::json state;
  std::vector<TensorInfo> tensors;
};

namespace {

constexpr size_t kMaxTensorsNamed = 4;

// The tensors with bytes in [begin, end) of a file, the first few by name.
std::string tensors_within(const Manifest& manifest, int file, int64_t begin, int64_t end) {
  std::vector<std::string> names;
  size_t more = 0;
  for (const ManifestTensor& tensor : manifest.tensors) {
    const auto element = static_cast<int64_t>(size_of(tensor.info.dtype));
    const bool touched = std::any_of(tensor.pieces.begin(), tensor.pieces.end(), [&](const ManifestPiece& p) {
      return p.file == file && p.file_offset < end && p.file_offset + p.count * element > begin;
    });
    if (!touched) continue;
    if (names.size() < kMaxTensorsNamed) names.push_back(describe(tensor.info));
    else ++more;
  }
  if (more > 0) names.push_back("and " + std::to_string(more) + " more");
  return names.empty() ? "no tensor" : join(names, ", ");
}

std::vector<std::string> size_problems(const std::string& folder, const Manifest& manifest) {
  std::vector<std::string> problems;
  for (size_t i = 0; i < manifest.files.size(); ++i) {
    const ManifestFile& file = manifest.files[i];
    const std::string path = folder + "/" + file.name;
    std::error_code error;
    const auto size = fs::is_regular_file(path, error) ? static_cast<int64_t>(fs::file_size(path, error)) : -1;
    if (size == file.bytes) continue;
    const std::string what =
        size < 0 ? "missing" : std::to_string(size) + " bytes instead of " + std::to_string(file.bytes);
    const int64_t good = std::clamp<int64_t>(size, 0, file.bytes);
    problems.push_back("checkpoint: " + path + ": " + what + ": holds " +
                       tensors_within(manifest, static_cast<int>(i), good == file.bytes ? 0 : good, file.bytes));
  }
  return problems;
}

}  // namespace

CheckpointReader::CheckpointReader(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->folder = resolve_checkpoint(path);
  impl_->manifest = load_manifest(impl_->folder);
  const auto problems = size_problems(impl_->folder, impl_->manifest);
  if (!problems.empty()) throw Error(ErrorCode::kCorrupt, join(problems, "\n"));
  impl_->state = nlohmann::json::parse(impl_->manifest.state);
  for (const ManifestTensor& tensor : impl_->manifest.tensors) impl_->tensors.push_back(tensor.info);
}

CheckpointReader::~CheckpointReader() = default;
CheckpointReader::CheckpointReader(CheckpointReader&&) noexcept = default;

const std::string& CheckpointReader::folder() const { return impl_->folder; }
int64_t CheckpointReader::step() const { return impl_->manifest.step; }
const nlohmann::json& CheckpointReader::state() const { return impl_->state; }
const std::vector<TensorInfo>& CheckpointReader::tensors() const { return impl_->tensors; }

bool CheckpointReader::has(const std::string& name, const std::string& kind) const {
  return impl_->manifest.find(name, kind) != nullptr;
}

void CheckpointReader::read(const std::vector<TensorPiece>& pieces) const {
  const std::vector<FileCopy> copies = plan_read(impl_->manifest, pieces);
  for (auto at = copies.begin(); at != copies.end();) {
    CheckedFile file(impl_->folder, impl_->manifest.files[at->file]);
    const int number = at->file;
    for (; at != copies.end() && at->file == number; ++at)
      file.read(at->file_offset, at->to, at->bytes, describe(*at->tensor));
  }
}

std::vector<std::string> CheckpointReader::verify() const {
  std::vector<std::string> problems = size_problems(impl_->folder, impl_->manifest);
  if (!problems.empty()) return problems;
  for (size_t i = 0; i < impl_->manifest.files.size(); ++i) {
    const ManifestFile& entry = impl_->manifest.files[i];
    try {
      for (int64_t block : CheckedFile(impl_->folder, entry).bad_blocks()) {
        const int64_t begin = block * entry.block_bytes, end = std::min(entry.bytes, begin + entry.block_bytes);
        problems.push_back("checkpoint: " + impl_->folder + "/" + entry.name + ": damaged: bytes [" +
                           std::to_string(begin) + ", " + std::to_string(end) + ") fail their checksum: " +
                           tensors_within(impl_->manifest, static_cast<int>(i), begin, end));
      }
    } catch (const Error& error) {
      problems.push_back(error.what());
    }
  }
  return problems;
}

}  // namespace ds
