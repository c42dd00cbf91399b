// A file that lines are appended to, each piece in one write.
#pragma once

#include <string>

namespace ds {

class OutputFile {
 public:
  // Opens for appending and makes missing folders; does not throw: problem() tells.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void append(const std::string& data);
  int fd() const { return fd_; }  // -1 = could not be opened
  // The first thing that went wrong, "cannot write PATH: reason"; "" while all is well.
  const std::string& problem() const { return problem_; }

 private:
  std::string path_, problem_;
  int fd_ = -1;
};

}  // namespace ds
