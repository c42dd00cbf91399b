// A file opened for reading at any place.
#pragma once

#include <cstdint>
#include <string>

namespace ds {

class InputFile {
 public:
  explicit InputFile(const std::string& path);  // throws kCorrupt naming path and reason
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;

  const std::string& path() const { return path_; }
  int64_t bytes() const { return bytes_; }  // when it was opened
  // Exactly these bytes; throws kCorrupt when the file ends before, or cannot be read.
  void read(int64_t offset, void* data, int64_t bytes) const;

 private:
  std::string path_;
  int fd_ = -1;
  int64_t bytes_ = 0;
};

}  // namespace ds
