// train.cfg -> values, as `dslaunch train.cfg` and the ranks read it.
#include "engine/config/train_config.h"

#include <sys/mman.h>
#include <unistd.h>

#include "agent/file_descriptor.h"
#include "tests/fuzz/expect.h"

namespace ds::fuzz {
namespace {

// A file without a folder, readable by its path as long as it lives.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : fd_(memfd_create("train.cfg", MFD_CLOEXEC)) {
    const ssize_t written = ::write(fd_.get(), text.data(), text.size());
    require(written == static_cast<ssize_t>(text.size()), "the file could be made");
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

 private:
  FileDescriptor fd_;
};

std::map<std::string, std::string> texts_of(const TrainConfig& config) {
  std::map<std::string, std::string> texts;
  for (const auto& [key, value] : config.values) texts[key] = value.text;
  return texts;
}

TrainConfig load(std::string_view text) {
  const MemoryFile file(text);
  return load_train_config(file.path(), {});
}

}  // namespace
}  // namespace ds::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ds;
  const auto config = fuzz::answer_of([&] { return fuzz::load(fuzz::text_of(data, size)); });
  if (!config) return 0;
  const TrainConfig again = fuzz::load(config->resolved_text(config->ds_config_path));
  fuzz::require(fuzz::texts_of(again) == fuzz::texts_of(*config), "values are read as they were written for the ranks");
  return 0;
}
