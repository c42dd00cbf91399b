// A launcher of many hosts needs many descriptors: raises the soft limit to the hard one for as long as the object lives.
#pragma once

#include <cstdint>
#include <string>

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

// errno of a call that opens or starts something, in words; with what to do when the limit is reached.
std::string why_none_is_opened(int error);

void set_open_file_limit(uint64_t soft);  // of this process; also safe between fork and exec

}  // namespace ds
