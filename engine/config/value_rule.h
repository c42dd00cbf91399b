// What a value may be, as a short text that people can read and programs can check.
//
// A rule is a list of alternatives separated by '|': words ("auto|none"), or ranges of numbers: "> 0", ">= 0", "0..3"
// (both included), "[0, 1)", "(0, 1]". An empty rule allows everything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ds {

// The words of a rule, in order.
std::vector<std::string> words_of(std::string_view rule);

// Do the ranges of the rule hold the value? A rule without ranges holds every number.
bool in_range(std::string_view rule, double value);

// "must be one of a, b; or >= 0" for messages; "" for an empty rule.
std::string in_words(std::string_view rule);

// What is wrong with `text` as a value of `type` (integer | number | flag | word | text | path | paths | list); "" if
// nothing. Words of the rule are allowed for every type.
std::string value_problem(std::string_view type, std::string_view rule, const std::string& text);

// true/yes/on/1 and false/no/off/0; anything else: false in `good`.
bool parse_flag(std::string_view text, bool& good);

}  // namespace ds
