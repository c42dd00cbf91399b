// A file's bytes in memory, read-only, by memory map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ds {

class MappedFile {
 public:
  explicit MappedFile(const std::string& path);  // throws kUsage naming path and reason
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  const std::string& path() const { return path_; }
  const std::byte* data() const { return data_; }  // nullptr when empty
  int64_t bytes() const { return bytes_; }

 private:
  std::string path_;
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace ds
