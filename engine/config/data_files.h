// [data] paths -> the files they mean, and how many tokens those hold, from names, sizes and headers alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ds {

// "a.bin, folder, *.txt" -> files in reading order: as listed, within a folder or glob in name order. Folders give
// their .bin, .txt and .jsonl files; names of indexed data may lack their ending; .idx files stand for their .bin.
// Adds a problem, starting with `subject`, for everything that does not exist or is empty.
std::vector<std::string> expand_data_paths(const std::string& text, const std::string& subject,
                                           std::vector<std::string>& problems);

struct TokenCount {
  int64_t tokens = 0;  // at most this many
  bool exact = true;   // false for .jsonl, whose texts have to be read
};

// Tokens of the whole stream, bytes as tokens for text. Adds a problem for an .idx that is missing, is none, or does
// not fit its .bin; then nullopt.
std::optional<TokenCount> count_tokens(const std::vector<std::string>& files, std::vector<std::string>& problems);

// "corpus.bin", or "3 files from a.txt to c.txt": how messages name a stream.
std::string stream_name(const std::vector<std::string>& files);

}  // namespace ds
