// A launcher of many hosts needs many descriptors: raises the soft limit to the hard one for as long as the object lives.
#pragma once

#include <cstdint>

namespace ds {

class OpenFileLimit {
 public:
  OpenFileLimit();
  ~OpenFileLimit();  // back to what it was
  OpenFileLimit(const OpenFileLimit&) = delete;

  uint64_t now() const { return now_; }
  // What programs that the launcher starts must have: some of them believe that descriptors are small numbers.
  uint64_t before() const { return before_; }

 private:
  uint64_t before_ = 0, now_ = 0;
};

void set_open_file_limit(uint64_t soft);  // of this process; also safe between fork and exec

}  // namespace ds
