// Several sources as one stream, in the order given; nothing is put between them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/data/token_source.h"

namespace ds {

class JoinedSource : public TokenSource {
 public:
  explicit JoinedSource(std::vector<std::unique_ptr<TokenSource>> sources);  // requires at least one
  int64_t size() const override { return starts_.back(); }
  void read(int64_t offset, int64_t count, int64_t* out) const override;
  std::string fingerprint() const override;
  std::string describe() const override;  // first and last file and how many
  std::string locate(int64_t offset) const override;

 private:
  size_t source_at(int64_t offset) const;
  std::vector<std::unique_ptr<TokenSource>> sources_;
  std::vector<int64_t> starts_;  // first token of each source, and the size at the end
};

}  // namespace ds
