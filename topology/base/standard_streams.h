// Descriptors 0, 1 and 2 of a program that somebody started without them.
#pragma once

namespace ds {

// The first thing in main(): a closed one becomes /dev/null. The next file or socket would get its number otherwise, and
// with it what is written to stderr, or be read as stdin by a child.
void open_standard_streams();

}  // namespace ds
