// A file's bytes as tokens 0-255.
#pragma once

#include <string>

#include "engine/data/corpus_file.h"
#include "engine/data/token_source.h"

namespace ds {

class TextSource : public TokenSource {
 public:
  // Throws kUsage when the file is missing or empty.
  explicit TextSource(const std::string& path);
  int64_t size() const override { return static_cast<int64_t>(file_.size()); }
  void read(int64_t offset, int64_t count, int64_t* out) const override;
  std::string fingerprint() const override;
  std::string describe() const override { return file_.path(); }

 private:
  CorpusFile file_;
};

}  // namespace ds
