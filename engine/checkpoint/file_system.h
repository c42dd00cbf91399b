// The few things saving does to a disk, behind one interface, so that tests can make each of them fail.
//
// Every function throws kInternal naming the operation, the path and the system's reason.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace ds {

// A new file being written from front to back. Destroyed without finish(): closed, contents undefined.
class OutputFile {
 public:
  virtual ~OutputFile() = default;
  virtual void append(const void* data, size_t bytes) = 0;
  virtual void finish() = 0;  // on disk (fsync) and closed
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual std::unique_ptr<OutputFile> create(const std::string& path) = 0;  // empties an existing file
  virtual void create_folder(const std::string& path) = 0;                  // and its parents; may exist
  virtual void rename(const std::string& from, const std::string& to) = 0;  // replaces a file or an empty folder
  // Swaps the two names in one step; false when this file system cannot.
  virtual bool exchange(const std::string& a, const std::string& b) = 0;
  virtual void sync_folder(const std::string& path) = 0;  // the names in it are on disk
  virtual void remove_all(const std::string& path) = 0;   // nothing there: fine
};

// The operating system's.
std::unique_ptr<FileSystem> real_file_system();

// Writes path by a temporary name beside it, so that a reader sees the old or the new contents and nothing between.
void replace_file(FileSystem& files, const std::string& path, const std::string& contents, const std::string& suffix);

}  // namespace ds
