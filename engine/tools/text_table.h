// Columns that line up, for people.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace ds {

// Rows may have different lengths; the last cell of a row is never padded.
void print_table(const std::vector<std::vector<std::string>>& rows, std::ostream& out);

std::string bytes_text(int64_t bytes);  // "1.5 MiB"

}  // namespace ds
