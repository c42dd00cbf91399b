// A whole corpus file as read-only memory. Pages come from the page cache, so the ranks of a host share them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ds {

class CorpusFile {
 public:
  // Throws kUsage "data: cannot read: file=PATH: reason" (missing, a folder, no permission). An empty file is allowed.
  explicit CorpusFile(const std::string& path);
  ~CorpusFile();
  CorpusFile(CorpusFile&& other) noexcept;
  CorpusFile& operator=(CorpusFile&& other) noexcept;

  const unsigned char* data() const { return data_; }
  size_t size() const { return size_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }
  const std::string& path() const { return path_; }

 private:
  void unmap();
  std::string path_;
  const unsigned char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace ds
