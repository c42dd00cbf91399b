// Megatron's .bin (token ids of one integer type, nothing else) with its .idx.
#pragma once

#include <string>

#include "engine/data/index_file.h"
#include "engine/data/corpus_file.h"
#include "engine/data/token_source.h"

namespace ds {

class IndexedSource : public TokenSource {
 public:
  // stem + ".bin" and stem + ".idx". Throws kUsage when one is missing or the index is refused (parse_index),
  // also because it describes a .bin of another size.
  explicit IndexedSource(const std::string& stem);
  int64_t size() const override { return num_tokens_; }
  void read(int64_t offset, int64_t count, int64_t* out) const override;
  std::string fingerprint() const override;
  std::string describe() const override { return file_.path(); }

 private:
  CorpusFile file_;
  TokenType type_ = TokenType::kUInt16;
  int64_t num_tokens_ = 0;
};

}  // namespace ds
