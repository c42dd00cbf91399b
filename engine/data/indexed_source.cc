#include "engine/data/indexed_source.h"

#include <algorithm>
#include <cstring>

#include "engine/data/stream_hash.h"
#include "topology/base/error.h"

namespace ds {
namespace {

// Through memcpy, so that a .bin may be mapped at any address.
template <typename T>
void widen(const unsigned char* from, int64_t count, int64_t* out) {
  for (int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    out[i] = static_cast<int64_t>(value);
  }
}

}  // namespace

IndexedSource::IndexedSource(const std::string& stem) : file_(stem + ".bin") {
  const CorpusFile index_file(stem + ".idx");
  const TokenIndex index = parse_index(index_file.text(), static_cast<int64_t>(file_.size()), index_file.path());
  type_ = index.type;
  num_tokens_ = index.num_tokens;
  if (num_tokens_ == 0) throw Error(ErrorCode::kUsage, "data: empty: file=" + file_.path() + ": there are no tokens");
}

void IndexedSource::read(int64_t offset, int64_t count, int64_t* out) const {
  const unsigned char* from = file_.data() + offset * size_of(type_);
  switch (type_) {
    case TokenType::kUInt8: return widen<uint8_t>(from, count, out);
    case TokenType::kInt8: return widen<int8_t>(from, count, out);
    case TokenType::kInt16: return widen<int16_t>(from, count, out);
    case TokenType::kUInt16: return widen<uint16_t>(from, count, out);
    case TokenType::kInt32: return widen<int32_t>(from, count, out);
    case TokenType::kInt64: return widen<int64_t>(from, count, out);
    case TokenType::kUInt32: return widen<uint32_t>(from, count, out);
    case TokenType::kUInt64: return widen<uint64_t>(from, count, out);
  }
}

std::string IndexedSource::fingerprint() const {
  return std::string(name_of(type_)) + ":" + sampled_fingerprint(*this);
}

}  // namespace ds
