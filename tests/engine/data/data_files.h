// Files made for one test and removed after it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/data/index_file.h"
#include "engine/data/token_source.h"
#include "gtest/gtest.h"
#include "topology/base/error.h"

namespace ds::testing {

class DataFiles : public ::testing::Test {
 protected:
  DataFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ds-data-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
  }
  ~DataFiles() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  // One sequence a document. Returns the path of the .bin.
  template <typename T>
  std::string write_indexed(const std::string& stem, TokenType type, const std::vector<T>& tokens) const {
    write(stem + ".bin", std::string(reinterpret_cast<const char*>(tokens.data()), tokens.size() * sizeof(T)));
    write(stem + ".idx", index_bytes(type, {static_cast<int32_t>(tokens.size())}, {0, 1}));
    return path(stem + ".bin");
  }

 private:
  std::filesystem::path folder_;
};

inline std::vector<int64_t> all_tokens(const TokenSource& source) {
  std::vector<int64_t> tokens(static_cast<size_t>(source.size()));
  source.read(0, source.size(), tokens.data());
  return tokens;
}

inline std::vector<int64_t> bytes_of(const std::string& text) {
  std::vector<int64_t> tokens;
  for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
  return tokens;
}

// The message of the usage error that `act` must throw.
template <typename Act>
std::string usage_error(Act act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

}  // namespace ds::testing
