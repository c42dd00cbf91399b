// What the checkpoint tests share: scratch folders, a model whose values are a function of their place, worlds of
// threads, and a disk that fails when told to.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectives/communicator.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/file_system.h"

namespace ds::test {

class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);
std::vector<std::string> names_in(const std::string& folder);  // sorted

// The message of the ds::Error that `work` throws; "" when it throws none.
std::string error_of(const std::function<void()>& work);

// Several tensors of different kinds, types and shapes, among them a scalar and an empty one.
std::vector<TensorInfo> small_model();

// The byte that belongs at `index` of a tensor in version `version` of the model.
uint8_t expected_byte(const TensorInfo& tensor, int64_t index, int version);

// A rank's part of the model, split so that parts start and end inside tensors: rank i has the i-th n-th of each tensor,
// rounded, or, with whole = true, every n-th tensor entirely.
class Part {
 public:
  Part(int rank, int world, bool whole = false);
  void fill(int version);                   // with expected bytes
  void clear();
  std::vector<std::string> differences(int version) const;  // names of tensors that are not as expected
  const std::vector<TensorPiece>& pieces() const { return pieces_; }

 private:
  std::vector<std::vector<uint8_t>> memory_;
  std::vector<TensorPiece> pieces_;
};

// Writes like the operating system's, but waits for no disk: thousands of saves in a test would take minutes.
class HastyFileSystem : public FileSystem {
 public:
  std::unique_ptr<OutputFile> create(const std::string& path) override;
  void create_folder(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;
  bool exchange(const std::string& a, const std::string& b) override;
  void sync_folder(const std::string&) override {}
  void remove_all(const std::string& path) override;

 private:
  std::unique_ptr<FileSystem> real_ = real_file_system();
};

// Saves small_model of `version` from `ranks` threads. block_bytes small, so that there are many blocks.
// files = nullptr: a HastyFileSystem.
void save_small(const std::string& folder, int ranks, int64_t step, int version, int64_t keep = 0,
                FileSystem* files = nullptr, bool whole = false);

// Empty when the checkpoint at `path` holds that version, read by a world of `ranks`; else what differs.
std::vector<std::string> load_differences(const std::string& path, int ranks, int version, bool whole = false);

// Passes everything on until the n-th operation (from 0), which throws; later ones throw too, as if the process had
// been killed there, or work, as if the disk had been full for a moment.
class FailingFileSystem : public FileSystem {
 public:
  enum class After { kDead, kRecovers };
  FailingFileSystem(int64_t fail_at, After after, bool can_exchange = true);
  std::unique_ptr<OutputFile> create(const std::string& path) override;
  void create_folder(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;
  bool exchange(const std::string& a, const std::string& b) override;
  void sync_folder(const std::string& path) override;
  void remove_all(const std::string& path) override;
  int64_t operations() const { return operations_; }
  void count_one(const std::string& operation);

 private:
  HastyFileSystem real_;
  std::atomic<int64_t> operations_{0};
  int64_t fail_at_;
  After after_;
  bool can_exchange_;
};

}  // namespace ds::test
