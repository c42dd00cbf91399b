#include "tests/engine/checkpoint/support.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>

#include "collectives/thread_world.h"
#include "engine/checkpoint/manifest.h"
#include "engine/checkpoint/saver.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds::test {
namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "ds-checkpoint-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw Error(ErrorCode::kInternal, "no scratch folder " + name);
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string read_text(const std::string& path) { return read_file(path); }

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<TensorInfo> small_model() {
  return {{"wte.weight", "weight", DType::kFloat32, {16, 9}},  {"wte.weight", "exp_avg", DType::kFloat32, {16, 9}},
          {"h.0.bias", "weight", DType::kBFloat16, {7}},       {"h.0.bias", "momentum", DType::kFloat64, {7}},
          {"scale", "buffer", DType::kInt64, {}},              {"nothing", "buffer", DType::kFloat32, {0, 4}},
          {"mask", "buffer", DType::kUInt8, {3, 5, 7}}};
}

uint8_t expected_byte(const TensorInfo& tensor, int64_t index, int version) {
  uint32_t x = 2166136261u + static_cast<uint32_t>(version) * 977u;
  for (char c : tensor.name + tensor.kind) x = (x ^ static_cast<uint8_t>(c)) * 16777619u;
  x = (x ^ static_cast<uint32_t>(index)) * 16777619u;
  return static_cast<uint8_t>(x >> 13);
}

Part::Part(int rank, int world, bool whole) {
  int number = 0;
  for (const TensorInfo& tensor : small_model()) {
    const int64_t n = tensor.count();
    int64_t from = n * rank / world, to = n * (rank + 1) / world;
    if (whole) from = 0, to = number % world == rank ? n : 0;
    ++number;
    memory_.emplace_back(static_cast<size_t>(to - from) * size_of(tensor.dtype));
    pieces_.push_back({tensor, from, to - from, memory_.back().data()});
  }
}

void Part::fill(int version) {
  for (size_t i = 0; i < pieces_.size(); ++i)
    for (size_t b = 0; b < memory_[i].size(); ++b)
      memory_[i][b] = expected_byte(
          pieces_[i].tensor, pieces_[i].offset * static_cast<int64_t>(size_of(pieces_[i].tensor.dtype)) + static_cast<int64_t>(b), version);
}

void Part::clear() {
  for (auto& memory : memory_) std::fill(memory.begin(), memory.end(), uint8_t{0xEE});
}

std::vector<std::string> Part::differences(int version) const {
  Part expected = *this;
  for (size_t i = 0; i < expected.pieces_.size(); ++i) expected.pieces_[i].data = expected.memory_[i].data();
  expected.fill(version);
  std::vector<std::string> names;
  for (size_t i = 0; i < memory_.size(); ++i)
    if (memory_[i] != expected.memory_[i]) names.push_back(describe(pieces_[i].tensor));
  return names;
}

void save_small(const std::string& folder, int ranks, int64_t step, int version, int64_t keep, FileSystem* files,
                bool whole) {
  HastyFileSystem hasty;
  run_thread_world(ranks, [&](Communicator& world) {
    Part part(world.rank(), ranks, whole);
    part.fill(version);
    const nlohmann::json state{{"version", version}};
    SaveRequest request{folder, step, part.pieces(), &state, R"({"model_type": "none"})", keep};
    SaveOptions options;
    options.files = files ? files : &hasty;
    options.block_bytes = 64;
    options.alignment = 32;
    save_checkpoint(world, request, options);
  });
}

std::vector<std::string> load_differences(const std::string& path, int ranks, int version, bool whole) {
  const CheckpointReader reader(path);
  if (reader.state().at("version") != version) return {"state " + reader.state().dump()};
  std::vector<std::string> all;
  for (int rank = 0; rank < ranks; ++rank) {
    Part part(rank, ranks, whole);
    part.clear();
    reader.read(part.pieces());
    const auto found = part.differences(version);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

namespace {

class HastyFile : public OutputFile {
 public:
  explicit HastyFile(const std::string& path) : file_(path, std::ios::binary | std::ios::trunc) {}
  void append(const void* data, size_t bytes) override {
    file_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  }
  void finish() override {
    file_.close();
    if (!file_) throw Error(ErrorCode::kInternal, "a test file cannot be written");
  }

 private:
  std::ofstream file_;
};

}  // namespace

std::unique_ptr<OutputFile> HastyFileSystem::create(const std::string& path) { return std::make_unique<HastyFile>(path); }
void HastyFileSystem::create_folder(const std::string& path) { real_->create_folder(path); }
void HastyFileSystem::rename(const std::string& from, const std::string& to) { real_->rename(from, to); }
bool HastyFileSystem::exchange(const std::string& a, const std::string& b) { return real_->exchange(a, b); }
void HastyFileSystem::remove_all(const std::string& path) { real_->remove_all(path); }

namespace {

class CountedFile : public OutputFile {
 public:
  CountedFile(FailingFileSystem& owner, std::unique_ptr<OutputFile> file) : owner_(owner), file_(std::move(file)) {}
  void append(const void* data, size_t bytes) override {
    owner_.count_one("write");
    file_->append(data, bytes);
  }
  void finish() override {
    owner_.count_one("fsync");
    file_->finish();
  }

 private:
  FailingFileSystem& owner_;
  std::unique_ptr<OutputFile> file_;
};

}  // namespace

FailingFileSystem::FailingFileSystem(int64_t fail_at, After after, bool can_exchange)
    : fail_at_(fail_at), after_(after), can_exchange_(can_exchange) {}

void FailingFileSystem::count_one(const std::string& operation) {
  const int64_t number = operations_++;
  if (number == fail_at_ || (after_ == After::kDead && number > fail_at_))
    throw Error(ErrorCode::kInternal, operation + ": made to fail at operation " + std::to_string(number));
}

std::unique_ptr<OutputFile> FailingFileSystem::create(const std::string& path) {
  count_one("create");
  return std::make_unique<CountedFile>(*this, real_.create(path));
}
void FailingFileSystem::create_folder(const std::string& path) {
  count_one("create folder");
  real_.create_folder(path);
}
void FailingFileSystem::rename(const std::string& from, const std::string& to) {
  count_one("rename");
  real_.rename(from, to);
}
bool FailingFileSystem::exchange(const std::string& a, const std::string& b) {
  count_one("exchange");
  return can_exchange_ && real_.exchange(a, b);
}
void FailingFileSystem::sync_folder(const std::string& path) {
  count_one("fsync folder");
  real_.sync_folder(path);
}
void FailingFileSystem::remove_all(const std::string& path) {
  count_one("remove");
  real_.remove_all(path);
}

}  // namespace ds::test
