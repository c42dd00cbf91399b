// Files that only their user may read.
#pragma once

#include <string>

namespace ds {

// Replaces `path` by a file of mode 0600, with its folders (0700 the last); never half written. Throws kUsage naming path
// and reason.
void write_private_file(const std::string& path, const std::string& text);

}  // namespace ds
