#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <set>
#include <tuple>

#include "engine/checkpoint/file_system.h"
#include "engine/checkpoint/manifest.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/safetensors_header.h"
#include "engine/checkpoint/safetensors_index.h"
#include "topology/base/error.h"

namespace ds {
namespace fs = std::filesystem;
namespace {

int64_t bytes_of(const SafeTensorToWrite& tensor) {
  const int64_t count = checked_count(tensor.shape);
  if (count < 0) throw Error(ErrorCode::kInternal, "safetensors: tensor '" + tensor.name + "': shape is too large");
  return count * static_cast<int64_t>(size_of(tensor.dtype));
}

// Wide elements first: then each tensor starts at a multiple of its element size, although the format allows no gaps.
std::vector<const SafeTensorToWrite*> in_file_order(const std::vector<SafeTensorToWrite>& tensors) {
  std::vector<const SafeTensorToWrite*> order;
  for (const SafeTensorToWrite& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const SafeTensorToWrite* a, const SafeTensorToWrite* b) {
    const size_t size_a = size_of(a->dtype), size_b = size_of(b->dtype);
    return std::tie(size_b, a->name) < std::tie(size_a, b->name);
  });
  return order;
}

void check_names(const std::vector<SafeTensorToWrite>& tensors) {
  std::set<std::string> names{"__metadata__"};
  for (const SafeTensorToWrite& tensor : tensors)
    if (!names.insert(tensor.name).second)
      throw Error(ErrorCode::kInternal, "safetensors: tensor '" + tensor.name + "' is there twice");
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string shard_file(size_t number, size_t shards) {
  char name[64];
  std::snprintf(name, sizeof name, "model-%05zu-of-%05zu.safetensors", number + 1, shards);
  return name;
}

}  // namespace

void write_safetensors(const std::string& path, const std::vector<SafeTensorToWrite>& tensors) {
  check_names(tensors);
  const auto order = in_file_order(tensors);
  std::vector<SafetensorsEntry> entries;
  int64_t end = 0;
  for (const SafeTensorToWrite* tensor : order) {
    const int64_t begin = end;
    end += bytes_of(*tensor);
    entries.push_back({tensor->name, tensor->dtype, tensor->shape, begin, end});
  }
  const std::string header = safetensors_header(entries);
  const auto files = real_file_system();
  const std::string temporary = path + ".tmp";
  try {
    auto file = files->create(temporary);
    file->append(header.data(), header.size());
    for (const SafeTensorToWrite* tensor : order) file->append(tensor->data, static_cast<size_t>(bytes_of(*tensor)));
    file->finish();
    files->rename(temporary, path);
  } catch (const Error&) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
  files->sync_folder(folder_of(path));
}

void write_safetensors_folder(const std::string& folder, const std::vector<SafeTensorToWrite>& tensors,
                              int64_t max_file_bytes) {
  check_names(tensors);
  std::vector<std::vector<SafeTensorToWrite>> shards(1);
  int64_t total = 0, filled = 0;
  for (const SafeTensorToWrite& tensor : tensors) {
    const int64_t bytes = bytes_of(tensor);
    if (filled > 0 && filled + bytes > max_file_bytes) {
      shards.emplace_back();
      filled = 0;
    }
    shards.back().push_back(tensor);
    filled += bytes;
    total += bytes;
  }
  const auto files = real_file_system();
  files->create_folder(folder);
  if (shards.size() == 1) return write_safetensors(folder + "/" + kSafetensorsFile, shards[0]);
  SafetensorsIndex index;
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string name = shard_file(i, shards.size());
    write_safetensors(folder + "/" + name, shards[i]);
    for (const SafeTensorToWrite& tensor : shards[i]) index[tensor.name] = name;
  }
  replace_file(*files, folder + "/" + kSafetensorsIndex, safetensors_index_text(index, total), "new");
  files->sync_folder(folder);
}

}  // namespace ds
