#include <filesystem>
#include <map>
#include <set>
#include <unordered_map>

#include "engine/checkpoint/mapped_file.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/safetensors_header.h"
#include "engine/checkpoint/safetensors_index.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace fs = std::filesystem;

struct SafetensorsReader::Impl {
  std::vector<MappedFile> files;
  std::vector<SafeTensor> tensors;
  std::unordered_map<std::string, size_t> by_name;

  // Only the tensors of `wanted`, all when it is nullptr.
  void open(const std::string& path, const std::set<std::string>* wanted) {
    files.emplace_back(path);
    const MappedFile& file = files.back();
    int64_t start = 0;
    const std::string_view bytes(reinterpret_cast<const char*>(file.data()), static_cast<size_t>(file.bytes()));
    for (SafetensorsEntry& entry : parse_safetensors(bytes, path, &start)) {
      if (wanted && !wanted->count(entry.name)) continue;
      by_name[entry.name] = tensors.size();
      tensors.push_back({std::move(entry.name), entry.dtype, std::move(entry.shape), file.data() + start + entry.begin,
                         entry.end - entry.begin, path});
    }
  }

  void open_indexed(const std::string& folder) {
    const std::string index_path = folder + "/" + kSafetensorsIndex;
    std::map<std::string, std::set<std::string>> wanted;
    for (const auto& [tensor, file] : parse_safetensors_index(read_file(index_path), index_path))
      wanted[file].insert(tensor);
    std::vector<std::string> problems;
    for (const auto& [file, names] : wanted)
      if (!fs::is_regular_file(folder + "/" + file)) problems.push_back("file " + file + " is missing");
    if (problems.empty())
      for (const auto& [file, names] : wanted) {
        open(folder + "/" + file, &names);
        for (const std::string& name : names)
          if (!by_name.count(name)) problems.push_back("tensor '" + name + "' is not in " + file);
      }
    if (!problems.empty())
      throw Error(ErrorCode::kCorrupt, "safetensors: " + index_path + ": " + join(problems, "; "));
  }
};

SafetensorsReader::SafetensorsReader(const std::string& path) : impl_(std::make_unique<Impl>()) {
  if (!fs::is_directory(path)) {
    impl_->open(path, nullptr);
  } else if (fs::exists(path + "/" + kSafetensorsFile)) {
    impl_->open(path + "/" + kSafetensorsFile, nullptr);
  } else if (fs::exists(path + "/" + kSafetensorsIndex)) {
    impl_->open_indexed(path);
  } else {
    throw Error(ErrorCode::kUsage,
                "safetensors: " + path + ": has neither " + kSafetensorsFile + " nor " + kSafetensorsIndex);
  }
}

SafetensorsReader::~SafetensorsReader() = default;

const std::vector<SafeTensor>& SafetensorsReader::tensors() const { return impl_->tensors; }

const SafeTensor* SafetensorsReader::find(const std::string& name) const {
  const auto found = impl_->by_name.find(name);
  return found == impl_->by_name.end() ? nullptr : &impl_->tensors[found->second];
}

bool has_safetensors(const std::string& folder) {
  return fs::exists(folder + "/" + kSafetensorsFile) || fs::exists(folder + "/" + kSafetensorsIndex);
}

}  // namespace ds
