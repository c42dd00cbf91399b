#include "engine/config/value_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "topology/base/text.h"

namespace ds {
namespace {

struct Range {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool low_open = false, high_open = false;
  bool holds(double value) const {
    return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
  }
};

std::optional<Range> parse_range(std::string_view text) {
  text = trim(text);
  const auto number = [](std::string_view part) { return parse_double(trim(part)).value_or(0); };
  Range range;
  if (text.starts_with('>')) {
    range.low_open = !text.starts_with(">=");
    range.low = number(text.substr(range.low_open ? 1 : 2));
    return range;
  }
  if (text.starts_with('[') || text.starts_with('(')) {
    const size_t comma = text.find(',');
    range.low_open = text.front() == '(';
    range.high_open = text.back() == ')';
    range.low = number(text.substr(1, comma - 1));
    range.high = number(text.substr(comma + 1, text.size() - comma - 2));
    return range;
  }
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  range.low = number(text.substr(0, dots));
  range.high = number(text.substr(dots + 2));
  return range;
}

std::vector<std::string> alternatives(std::string_view rule) {
  return rule.empty() ? std::vector<std::string>{} : split(rule, '|');
}

std::string type_problem(std::string_view type, const std::string& text) {
  bool good = true;
  if (type == "integer" && !parse_int(text)) return "must be an integer";
  if (type == "number" && !std::isfinite(parse_double(text).value_or(NAN))) return "must be a number";
  if (type == "flag") {
    parse_flag(text, good);
    if (!good) return "must be true or false";
  }
  return "";
}

}  // namespace

std::vector<std::string> words_of(std::string_view rule) {
  std::vector<std::string> words;
  for (const auto& part : alternatives(rule))
    if (!parse_range(part)) words.push_back(part);
  return words;
}

bool in_range(std::string_view rule, double value) {
  bool any_range = false;
  for (const auto& part : alternatives(rule)) {
    const auto range = parse_range(part);
    if (!range) continue;
    if (range->holds(value)) return true;
    any_range = true;
  }
  return !any_range;
}

std::string in_words(std::string_view rule) {
  if (rule.empty()) return "";
  return "must be " + join(alternatives(rule), " or ");
}

bool parse_flag(std::string_view text, bool& good) {
  const std::string word = lower(text);
  const bool yes = word == "true" || word == "yes" || word == "on" || word == "1";
  good = yes || word == "false" || word == "no" || word == "off" || word == "0";
  return yes;
}

std::string value_problem(std::string_view type, std::string_view rule, const std::string& text) {
  const auto words = words_of(rule);
  if (std::find(words.begin(), words.end(), text) != words.end()) return "";
  const bool needs_word = type == "word" && !words.empty();
  if (needs_word) {
    const std::string near = nearest(text, words);
    return in_words(rule) + (near.empty() ? "" : "; nearest: " + near);
  }
  const std::string wrong = type_problem(type, text);
  if (!wrong.empty()) return wrong + (words.empty() ? "" : " or " + join(words, " or "));
  if ((type == "integer" || type == "number") && !in_range(rule, *parse_double(text))) return in_words(rule);
  return "";
}

}  // namespace ds
