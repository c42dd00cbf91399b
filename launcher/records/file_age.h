// How long ago a process that keeps touching a file was last alive.
#pragma once

#include <string>

namespace ds {

// Sets the time of the file by the clock of this host: that of a file server may be another.
void touch_file(const std::string& path);
// By the clock of this host; 0 when there is no such file.
double seconds_since_written(const std::string& path);

}  // namespace ds
