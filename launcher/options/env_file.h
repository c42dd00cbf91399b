// The .deepspeed_env file: variables for all ranks, by the rules of dotenv files.
#pragma once

#include <string>
#include <vector>

namespace ds {

// Lines NAME=value -> "NAME=value", "prepend NAME=value" as they are. `export ` in front and blanks around = are dropped;
// # starts a comment at the start of a line or after a blank; 'single quotes' keep everything, "double quotes" know
// \n \t \" \\ \$; both may run over lines. Nothing is expanded: $HOME stays $HOME. CR LF and a byte order mark are
// accepted. Throws one kUsage that lists every bad line with file and number.
std::vector<std::string> parse_env_file(const std::string& text, const std::string& file);

}  // namespace ds
