// When text is coloured, and how ranks are told apart by colour. Pure.
#pragma once

#include <string>

namespace ds {

// `option`: --color. auto = on a terminal, unless NO_COLOR has a value (https://no-color.org).
inline bool uses_colours(const std::string& option, bool is_terminal, const char* no_color) {
  if (option != "auto") return option == "always";
  return is_terminal && !(no_color && *no_color);
}

inline constexpr const char* kColourEnd = "\033[0m";

// The escape sequence that starts the colour of a rank; the same rank has the same colour in every job. Red is for errors.
inline std::string colour_of_rank(int rank) {
  constexpr const char* kColours[] = {"36", "33", "32", "35", "34", "96", "93", "92", "95", "94"};
  return std::string("\033[") + kColours[rank % 10] + "m";
}

}  // namespace ds
