# A relocatable prefix: programs, libraries, public headers and a CMake package.
