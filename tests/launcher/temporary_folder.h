// A folder of one test, with the files it needs; gone with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace ds::testing {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    char pattern[] = "/tmp/dslaunch-folder-XXXXXX";
    path = ::mkdtemp(pattern);
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;

  std::string read(const std::string& name) const {
    std::ifstream file(path + "/" + name, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(file)), {});
  }
  bool has(const std::string& name) const { return std::filesystem::exists(path + "/" + name); }
  // Both make the folders above the file and return its path.
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path + "/" + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  std::string program(const std::string& name, const std::string& script) const {
    const std::string file = write(name, script);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

  std::string path;
};

}  // namespace ds::testing
