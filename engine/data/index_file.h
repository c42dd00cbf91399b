// The .idx half of Megatron's indexed dataset: bytes <-> values, nothing from them believed before it is checked.
//
// Layout, little endian: "MMIDIDX\0\0", u64 version (1), u8 dtype code, u64 number of sequences S, u64 length of the
// document index D, then i32 sizes[S] (tokens), i64 offsets[S] (bytes into the .bin), i64 documents[D] (document d is
// sequences documents[d] .. documents[d + 1] - 1). Nothing may follow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ds {

// Two tables of codes are in use. 1-5 are uint8, int8, int16, int32, int64 in both; beyond them Megatron writes
// 6 = float64, 7 = float32, 8 = uint16, and DeepSpeed 6 = uint16, 7 = uint32, 8 = uint64. The width that the .bin has
// tells them apart; token ids are integers, so 4 bytes under code 7 are uint32.
enum class TokenType : uint8_t { kUInt8, kInt8, kInt16, kInt32, kInt64, kUInt16, kUInt32, kUInt64 };

int64_t size_of(TokenType type);           // bytes
std::string_view name_of(TokenType type);  // "uint16"

struct TokenIndex {
  TokenType type = TokenType::kUInt16;
  std::vector<int32_t> sizes;       // tokens of each sequence
  std::vector<int64_t> documents;   // first sequence of each document, and S at the end
  int64_t num_tokens = 0;
};

// bin_bytes: size of the .bin, which the index must describe exactly. Throws kUsage naming the file and what does not
// fit: magic, version, code, lengths against the index's own size, negative sizes, offsets that are not the running sum
// of the sizes, a document index that is not 0 … S ascending, another size of the .bin.
TokenIndex parse_index(std::string_view bytes, int64_t bin_bytes, const std::string& path);

// The inverse, with Megatron's codes (DeepSpeed's for kUInt32 and kUInt64): the bytes of the .idx for sequences of
// these sizes that lie in the .bin one after another.
std::string index_bytes(TokenType type, const std::vector<int32_t>& sizes, const std::vector<int64_t>& documents);

// Byte offset of each sequence, 64 bits throughout.
std::vector<int64_t> byte_offsets(TokenType type, const std::vector<int32_t>& sizes);

}  // namespace ds
