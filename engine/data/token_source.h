// A stream of token ids, whatever file it comes from; memory-mapped, read at any place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ds {

class TokenSource {
 public:
  virtual ~TokenSource() = default;
  virtual int64_t size() const = 0;  // tokens
  // Copies tokens [offset, offset + count) as int64. Requires the range to lie inside.
  virtual void read(int64_t offset, int64_t count, int64_t* out) const = 0;
  // Names the stream's contents (sizes, dtype and a hash of samples of them): equal streams, equal text.
  virtual std::string fingerprint() const = 0;
  virtual std::string describe() const = 0;  // for errors: the file name(s)
  // For errors: the file that holds this token and its number there.
  virtual std::string locate(int64_t offset) const;
};

// Opens files as one stream, in the order given: Megatron .bin/.idx (dtype codes 1..8, any integer width), text
// (.txt and anything else; bytes as tokens), .jsonl (key "text"). tokenizer: "bytes" (others: kUsage "not supported
// yet"); ignored for .bin. Throws kUsage naming the file: missing, empty, .idx that does not fit its .bin, bad magic,
// a JSONL line that is not an object with "text" (line number).
std::unique_ptr<TokenSource> open_tokens(const std::vector<std::string>& files, const std::string& tokenizer);

}  // namespace ds
