// safetensors files: reading by memory map, writing. Single files and folders with an index. No torch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "topology/dtype.h"

namespace ds {

struct SafeTensor {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<int64_t> shape;
  const std::byte* data = nullptr;  // mapped; lives as long as the reader
  int64_t bytes = 0;
  std::string file;
};

class SafetensorsReader {
 public:
  // A .safetensors file, or a folder with model.safetensors or model.safetensors.index.json. Defensive: header size,
  // offsets, shapes and dtypes are checked against the file; kCorrupt naming file and tensor.
  explicit SafetensorsReader(const std::string& path);
  ~SafetensorsReader();
  const std::vector<SafeTensor>& tensors() const;
  const SafeTensor* find(const std::string& name) const;  // nullptr when absent

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Is there something SafetensorsReader would open?
bool has_safetensors(const std::string& folder);

struct SafeTensorToWrite {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<int64_t> shape;
  const void* data = nullptr;
};
// Writes path (temporary name, fsync, rename) with metadata {"format": "pt"}, 8-byte aligned.
void write_safetensors(const std::string& path, const std::vector<SafeTensorToWrite>& tensors);

// Writes folder/model.safetensors or, when the tensors take more than max_file_bytes, model-00001-of-0000N.safetensors …
// in the order given and, last, model.safetensors.index.json. Makes the folder.
void write_safetensors_folder(const std::string& folder, const std::vector<SafeTensorToWrite>& tensors,
                              int64_t max_file_bytes);

}  // namespace ds
