#include "hostfiles/host_range.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "topology/base/error.h"

namespace ds {
namespace {

constexpr size_t kMaxBrackets = 16;
constexpr size_t kMaxNameBytes = 1024;  // longer ones are no host names, and 65,536 of them would fill the memory

[[noreturn]] void fail(std::string_view item, const std::string& cause) {
  throw Error(ErrorCode::kUsage, "host range '" + std::string(item) + "': " + cause);
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

int64_t number(std::string_view digits) {
  int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::string padded(int64_t value, size_t width) {
  std::string text = std::to_string(value);
  return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

void add_range(std::vector<std::string>& numbers, std::string_view range, std::string_view item) {
  const auto dash = range.find('-');
  const std::string_view low = range.substr(0, dash);
  const std::string_view high = dash == std::string_view::npos ? low : range.substr(dash + 1);
  if (!is_digits(low) || !is_digits(high))
    fail(item, "'" + std::string(range) + "' is not a number or a range like 1-3");
  if (number(high) < number(low)) fail(item, "range '" + std::string(range) + "' runs backwards");
  if (number(high) - number(low) >= static_cast<int64_t>(kMaxRangeHosts - numbers.size()))
    fail(item, "more than " + std::to_string(kMaxRangeHosts) + " hosts");
  for (int64_t value = number(low); value <= number(high); ++value) numbers.push_back(padded(value, low.size()));
}

void check_brackets(std::string_view item) {
  bool open = false;
  size_t count = 0;
  for (char c : item) {
    if (c == ']' && !open) fail(item, "']' without '['");
    if (c == '[' && !open) ++count;
    open = c == '[' || (open && c != ']');
  }
  if (open) fail(item, "'[' without ']'");
  if (count > kMaxBrackets) fail(item, "more than " + std::to_string(kMaxBrackets) + " brackets");
}

// The numbers of the inside of one bracket.
std::vector<std::string> expand_bracket(std::string_view inside, std::string_view item) {
  std::vector<std::string> numbers;
  size_t start = 0;
  while (start <= inside.size()) {
    const size_t end = std::min(inside.find(',', start), inside.size());
    add_range(numbers, inside.substr(start, end - start), item);
    start = end + 1;
  }
  return numbers;
}

void append_each(std::vector<std::string>& names, const std::vector<std::string>& endings, std::string_view item) {
  if (names.size() * endings.size() > kMaxRangeHosts)
    fail(item, "more than " + std::to_string(kMaxRangeHosts) + " hosts");
  if (names.size() * endings.size() > 1 && names.back().size() + endings.back().size() > kMaxNameBytes)
    fail(item, "names of more than " + std::to_string(kMaxNameBytes) + " characters");
  std::vector<std::string> longer;
  for (const std::string& name : names)
    for (const std::string& ending : endings) longer.push_back(name + ending);
  names = std::move(longer);
}

}  // namespace

std::vector<std::string> expand_host_range(std::string_view item) {
  check_brackets(item);
  std::vector<std::vector<std::string>> parts;  // all read before they multiply
  size_t at = 0;
  while (at < item.size()) {
    const size_t open = std::min(item.find('[', at), item.size());
    parts.push_back({std::string(item.substr(at, open - at))});
    if (open == item.size()) break;
    const size_t close = item.find(']', open);
    parts.push_back(expand_bracket(item.substr(open + 1, close - open - 1), item));
    at = close + 1;
  }
  std::vector<std::string> names{""};
  for (const auto& part : parts) append_each(names, part, item);
  return names;
}

std::vector<std::string> split_host_list(std::string_view list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : list) {
    if (c == '[') ++depth;
    if (c == ']' && depth > 0) --depth;
    const bool separator = depth == 0 && (c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r');
    if (separator && !parts.back().empty()) parts.emplace_back();
    if (!separator) parts.back() += c;
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

}  // namespace ds
