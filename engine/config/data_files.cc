#include "engine/config/data_files.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "topology/base/text.h"

namespace ds {
namespace {

namespace fs = std::filesystem;

bool is_data(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".bin" || ending == ".txt" || ending == ".jsonl";
}

std::vector<std::string> files_of_folder(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file(error) && is_data(entry.path())) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> files_of_glob(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> files;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; ++i)
      if (fs::path name = found.gl_pathv[i]; name.extension() != ".idx" && !fs::is_directory(name))
        files.push_back(name.string());
  globfree(&found);
  return files;
}

bool is_pattern(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

// What one listed path means; empty when it means nothing.
std::vector<std::string> files_of(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return files_of_folder(path);
  if (path.ends_with(".idx") && fs::exists(path.substr(0, path.size() - 4) + ".bin", error))
    return {path.substr(0, path.size() - 4) + ".bin"};
  if (fs::exists(path, error)) return {path};
  if (fs::exists(path + ".bin", error)) return {path + ".bin"};
  return is_pattern(path) ? files_of_glob(path) : std::vector<std::string>{};
}

// Header: "MMIDIDX\0\0", u64 version, u8 dtype, u64 sequences, u64 documents + 1; then 4 + 8 bytes a sequence and 8 a
// document.
struct IndexHeader {
  std::string problem;
  int64_t tokens = 0;  // sum of the sequences' sizes; the dtype codes of Megatron and DeepSpeed disagree
};

int64_t sum_of_sizes(std::ifstream& file, uint64_t sequences) {
  std::vector<int32_t> sizes(1 << 16);
  int64_t sum = 0;
  for (uint64_t done = 0; done < sequences; done += sizes.size()) {
    sizes.resize(std::min<uint64_t>(sizes.size(), sequences - done));
    file.read(reinterpret_cast<char*>(sizes.data()), static_cast<std::streamsize>(sizes.size() * sizeof(int32_t)));
    for (const int32_t size : sizes) sum += std::max(0, size);
  }
  return sum;
}

IndexHeader read_index(const std::string& path) {
  constexpr size_t kHeader = 34;
  std::array<char, kHeader> bytes{};
  std::error_code error;
  if (fs::is_directory(path, error)) return {path + ": is a folder", 0};
  std::ifstream file(path, std::ios::binary);
  if (!file) return {path + ": is missing or cannot be read", 0};
  if (!file.read(bytes.data(), kHeader)) return {path + ": is shorter than the header of an index", 0};
  if (std::memcmp(bytes.data(), "MMIDIDX\0\0", 9) != 0) return {path + ": is no index of a .bin file (bad magic)", 0};
  uint64_t version = 0, sequences = 0, documents = 0;
  std::memcpy(&version, &bytes[9], 8);
  std::memcpy(&sequences, &bytes[18], 8);
  std::memcpy(&documents, &bytes[26], 8);
  const auto code = static_cast<uint8_t>(bytes[17]);
  if (version != 1) return {path + ": version=" + std::to_string(version) + ": must be 1", 0};
  if (code < 1 || code > 8) return {path + ": dtype code=" + std::to_string(code) + ": must be 1..8", 0};
  const uint64_t size = fs::file_size(path);
  const bool possible = sequences <= size / 12 && documents <= size / 8;
  if (!possible || kHeader + sequences * 12 + documents * 8 > size)
    return {path + ": is cut short: " + std::to_string(size) + " bytes for " + std::to_string(sequences) +
                " sequences and " + std::to_string(documents) + " document ends",
            0};
  return {"", sum_of_sizes(file, sequences)};
}

}  // namespace

std::vector<std::string> expand_data_paths(const std::string& text, const std::string& subject,
                                           std::vector<std::string>& problems) {
  std::vector<std::string> files, listed = {text};
  std::error_code error;
  if (!fs::exists(text, error)) listed = split(text, ',');
  for (const auto& raw : listed) {
    const std::string path(trim(raw));
    if (path.empty()) continue;
    const auto found = files_of(path);
    if (found.empty()) {
      const bool folder = fs::is_directory(path, error);
      problems.push_back(subject + ": " + path + ": " +
                         (folder ? "the folder holds no .bin, .txt or .jsonl file" : "no such file"));
    }
    files.insert(files.end(), found.begin(), found.end());
  }
  for (const auto& file : files)
    if (fs::is_regular_file(file, error) && fs::file_size(file, error) == 0)
      problems.push_back(subject + ": " + file + ": is empty");
  return files;
}

std::optional<TokenCount> count_tokens(const std::vector<std::string>& files, std::vector<std::string>& problems) {
  TokenCount count;
  const size_t before = problems.size();
  for (const auto& file : files) {
    std::error_code error;
    const auto size = static_cast<int64_t>(fs::file_size(file, error));
    if (error) {
      problems.push_back(file + ": " + error.message());
      continue;
    }
    int64_t tokens = size;
    if (file.ends_with(".bin")) {
      const IndexHeader header = read_index(file.substr(0, file.size() - 4) + ".idx");
      tokens = header.tokens;
      if (!header.problem.empty())
        problems.push_back(header.problem);
      else if (tokens != size && tokens * 2 != size && tokens * 4 != size && tokens * 8 != size)
        problems.push_back(file + ": has " + std::to_string(size) + " bytes, its .idx counts " +
                           std::to_string(tokens) + " tokens of 1, 2, 4 or 8 bytes");
    }
    count.exact = count.exact && !file.ends_with(".jsonl");
    count.tokens += tokens;
  }
  if (problems.size() > before) return std::nullopt;
  return count;
}

std::string stream_name(const std::vector<std::string>& files) {
  if (files.empty()) return "no file";
  if (files.size() == 1) return files.front();
  return std::to_string(files.size()) + " files from " + files.front() + " to " + files.back();
}

}  // namespace ds
