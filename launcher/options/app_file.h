// The file that --app names: the programs of a job, one a line.
#pragma once

#include <string>
#include <vector>

namespace ds {

struct AppLine {
  std::string where;               // "file:3"
  std::vector<std::string> words;  // a program with its options before it
};

// Quotes and \ as in a shell, # starts a comment line. Throws kUsage on an unclosed quote, and when no line has a program.
std::vector<AppLine> app_lines(const std::string& text, const std::string& file);

}  // namespace ds
