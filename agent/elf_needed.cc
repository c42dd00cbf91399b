#include "agent/elf_needed.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "agent/file_descriptor.h"

namespace ds {

namespace {

// A file mapped for reading, with checked access: nothing in it is believed.
class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info {};
    if (!file || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= 0) return;
    void* start = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (start == MAP_FAILED) return;
    start_ = static_cast<const char*>(start);
    size_ = static_cast<size_t>(info.st_size);
  }
  ~Mapping() {
    if (start_) munmap(const_cast<char*>(start_), size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  template <typename T>
  std::optional<T> at(uint64_t offset) const {
    if (offset > size_ || sizeof(T) > size_ - offset) return std::nullopt;
    T value;
    std::memcpy(&value, start_ + offset, sizeof value);
    return value;
  }
  std::string text_at(uint64_t offset) const {
    if (offset >= size_) return {};
    return std::string(start_ + offset, strnlen(start_ + offset, size_ - offset));
  }

 private:
  const char* start_ = nullptr;
  size_t size_ = 0;
};

std::vector<Elf64_Phdr> segments(const Mapping& file) {
  const auto header = file.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  std::vector<Elf64_Phdr> result;
  for (uint64_t i = 0; i < header->e_phnum; ++i)
    if (const auto segment = file.at<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr))) result.push_back(*segment);
  return result;
}

std::optional<uint64_t> file_offset(const std::vector<Elf64_Phdr>& all, uint64_t address) {
  for (const auto& segment : all)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  return std::nullopt;
}

}  // namespace

std::vector<std::string> needed_libraries(const std::string& path) {
  const Mapping file(path);
  const auto all = segments(file);
  std::vector<uint64_t> names;
  uint64_t strings = 0;
  for (const auto& segment : all) {
    if (segment.p_type != PT_DYNAMIC) continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz; at += sizeof(Elf64_Dyn)) {
      const auto entry = file.at<Elf64_Dyn>(segment.p_offset + at);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_NEEDED) names.push_back(entry->d_un.d_val);
      if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
    }
  }
  std::vector<std::string> result;
  if (const auto table = file_offset(all, strings))
    for (const uint64_t name : names) result.push_back(file.text_at(*table + name));
  return result;
}

bool links_mpi(const std::string& path) {
  const auto libraries = needed_libraries(path);
  return std::any_of(libraries.begin(), libraries.end(),
                     [](const std::string& name) { return name.starts_with("libmpi.so"); });
}

}  // namespace ds
