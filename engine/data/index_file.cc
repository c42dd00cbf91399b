#include "engine/data/index_file.h"

#include <array>
#include <bit>
#include <cstring>

#include "topology/base/error.h"

namespace ds {
namespace {

static_assert(std::endian::native == std::endian::little, "the .idx format is little endian and read as it lies");

constexpr std::string_view kMagic("MMIDIDX\0\0", 9);
constexpr size_t kHeaderBytes = 9 + 8 + 1 + 8 + 8;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::kUsage, "data: not a usable index: file=" + path + ": " + what);
}

template <typename T>
T value_at(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <typename T>
std::vector<T> values_at(std::string_view bytes, size_t offset, size_t count) {
  std::vector<T> values(count);
  if (count != 0) std::memcpy(values.data(), bytes.data() + offset, count * sizeof(T));
  return values;
}

template <typename T>
void append(std::string& out, const T* values, size_t count) {
  if (count != 0) out.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

struct TypeEntry {
  TokenType type;
  uint8_t code;
  int64_t size;
  std::string_view name;
};
constexpr std::array<TypeEntry, 9> kTypes = {{{TokenType::kUInt8, 1, 1, "uint8"},
                                              {TokenType::kInt8, 2, 1, "int8"},
                                              {TokenType::kInt16, 3, 2, "int16"},
                                              {TokenType::kInt32, 4, 4, "int32"},
                                              {TokenType::kInt64, 5, 8, "int64"},
                                              {TokenType::kUInt16, 8, 2, "uint16"},
                                              {TokenType::kUInt16, 6, 2, "uint16"},
                                              {TokenType::kUInt32, 7, 4, "uint32"},
                                              {TokenType::kUInt64, 8, 8, "uint64"}}};

const TypeEntry& entry_of(TokenType type) {
  size_t i = 0;
  while (kTypes[i].type != type) ++i;
  return kTypes[i];
}

TokenType token_type(uint8_t code, int64_t bin_bytes, int64_t num_tokens, const std::string& path) {
  std::string widths;
  for (const auto& entry : kTypes) {
    if (entry.code != code) continue;
    if (entry.size * num_tokens == bin_bytes) return entry.type;
    widths += (widths.empty() ? "" : " or ") + std::string(entry.name);
  }
  if (widths.empty()) refuse(path, "dtype code=" + std::to_string(code) + ": allowed are 1-8");
  refuse(path, "the .bin has size=" + std::to_string(bin_bytes) + " bytes: the index says " +
                   std::to_string(num_tokens) + " tokens of " + widths);
}

int64_t total_tokens(const std::vector<int32_t>& sizes, const std::string& path) {
  int64_t total = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0) {
      refuse(path, "size of sequence " + std::to_string(i) + "=" + std::to_string(sizes[i]) + ": negative");
    }
    total += sizes[i];
  }
  return total;
}

void check_offsets(const TokenIndex& index, const std::vector<int64_t>& offsets, const std::string& path) {
  int64_t expected = 0;
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] != expected) {
      refuse(path, "offset of sequence " + std::to_string(i) + "=" + std::to_string(offsets[i]) + ": expected " +
                       std::to_string(expected));
    }
    expected += index.sizes[i] * size_of(index.type);
  }
}

void check_documents(const TokenIndex& index, const std::string& path) {
  const auto& documents = index.documents;
  bool good = !documents.empty() && documents.front() == 0 &&
              documents.back() == static_cast<int64_t>(index.sizes.size());
  for (size_t d = 1; good && d < documents.size(); ++d) good = documents[d - 1] <= documents[d];
  if (!good) {
    refuse(path, "document index does not rise from 0 to the number of sequences=" +
                     std::to_string(index.sizes.size()));
  }
}

}  // namespace

int64_t size_of(TokenType type) { return entry_of(type).size; }

std::string_view name_of(TokenType type) { return entry_of(type).name; }

TokenIndex parse_index(std::string_view bytes, int64_t bin_bytes, const std::string& path) {
  if (bytes.size() < kHeaderBytes) refuse(path, "size=" + std::to_string(bytes.size()) + ": shorter than its header");
  if (bytes.substr(0, kMagic.size()) != kMagic) refuse(path, "does not begin with MMIDIDX");
  const auto version = value_at<uint64_t>(bytes, 9);
  if (version != 1) refuse(path, "version=" + std::to_string(version) + ": only 1 is known");
  const auto num_sequences = value_at<uint64_t>(bytes, 18);
  const auto num_documents = value_at<uint64_t>(bytes, 26);
  // Bounding both counts by the file's size first keeps the sum below from overflowing.
  const uint64_t body = bytes.size() - kHeaderBytes;
  if (num_sequences > body / 12 || num_documents > body / 8 || num_sequences * 12 + num_documents * 8 != body) {
    refuse(path, "size=" + std::to_string(bytes.size()) + ": does not hold exactly " + std::to_string(num_sequences) +
                     " sequences and a document index of " + std::to_string(num_documents));
  }
  TokenIndex index;
  index.sizes = values_at<int32_t>(bytes, kHeaderBytes, num_sequences);
  const auto offsets = values_at<int64_t>(bytes, kHeaderBytes + num_sequences * 4, num_sequences);
  index.documents = values_at<int64_t>(bytes, kHeaderBytes + num_sequences * 12, num_documents);
  index.num_tokens = total_tokens(index.sizes, path);
  index.type = token_type(value_at<uint8_t>(bytes, 17), bin_bytes, index.num_tokens, path);
  check_offsets(index, offsets, path);
  check_documents(index, path);
  return index;
}

std::vector<int64_t> byte_offsets(TokenType type, const std::vector<int32_t>& sizes) {
  std::vector<int64_t> offsets;
  offsets.reserve(sizes.size());
  int64_t offset = 0;
  for (const int32_t size : sizes) {
    offsets.push_back(offset);
    offset += size * size_of(type);
  }
  return offsets;
}

std::string index_bytes(TokenType type, const std::vector<int32_t>& sizes, const std::vector<int64_t>& documents) {
  std::string out(kMagic);
  const uint64_t version = 1, num_sequences = sizes.size(), num_documents = documents.size();
  const uint8_t code = entry_of(type).code;
  append(out, &version, 1);
  append(out, &code, 1);
  append(out, &num_sequences, 1);
  append(out, &num_documents, 1);
  append(out, sizes.data(), sizes.size());
  const auto offsets = byte_offsets(type, sizes);
  append(out, offsets.data(), offsets.size());
  append(out, documents.data(), documents.size());
  return out;
}

}  // namespace ds
