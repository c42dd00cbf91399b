// Small text functions that parsers of every folder need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ds {

std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);  // keeps empty parts; "" gives one empty part
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string lower(std::string_view text);  // ASCII

// The whole text as an integer or number, nothing else around it; nullopt when it is not one or does not fit.
std::optional<int64_t> parse_int(std::string_view text);
std::optional<double> parse_double(std::string_view text);

// The candidate with the smallest edit distance, if it is near enough to be meant; "" otherwise.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// How deep '[' and '{' are nested in a JSON text; brackets in strings do not count. For refusing what printing or
// copying a tree, which recurse, could not bear.
size_t json_depth(std::string_view text);
inline constexpr size_t kMaxJsonDepth = 100;

// A whole file; throws kUsage "cannot read PATH: reason".
std::string read_file(const std::string& path);
// The same; nullopt when there is no such file, or none that can be seen.
std::optional<std::string> read_file_if_there(const std::string& path);

}  // namespace ds
