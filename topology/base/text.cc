#include "topology/base/text.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>

#include "topology/base/error.h"

namespace ds {

std::string_view trim(std::string_view text) {
  const char* blanks = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != separator) continue;
    parts.emplace_back(text.substr(start, i - start));
    start = i + 1;
  }
  return parts;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i) text += separator;
    text += parts[i];
  }
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::optional<int64_t> parse_int(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_double(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

static size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  const size_t mistakes = word.size() < 4 ? word.size() / 2 : std::max<size_t>(2, word.size() / 3);
  size_t best_distance = mistakes + 1;
  const std::string wanted = lower(word);
  for (const auto& candidate : candidates) {
    const auto [shorter, longer] = std::minmax({wanted.size(), candidate.size()});
    if (longer - shorter >= best_distance) continue;
    const size_t distance = edit_distance(wanted, lower(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

size_t json_depth(std::string_view text) {
  size_t depth = 0, deepest = 0;
  bool inside_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside_string && c == '\\') ++i;
    else if (c == '"') inside_string = !inside_string;
    else if (inside_string) continue;
    else if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    else if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return deepest;
}

std::string read_file(const std::string& path) {
  const std::string failed = "cannot read " + path + ": ";
  std::error_code error;  // told by opening the file
  if (std::filesystem::is_directory(path, error)) throw Error(ErrorCode::kUsage, failed + "is a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorCode::kUsage, failed + std::strerror(errno));
  try {
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  } catch (const std::ios_base::failure& failure) {
    throw Error(ErrorCode::kUsage, failed + failure.code().message());
  }
}

std::optional<std::string> read_file_if_there(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) ? std::optional(read_file(path)) : std::nullopt;
}

}  // namespace ds
