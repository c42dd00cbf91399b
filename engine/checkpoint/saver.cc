#include "engine/checkpoint/saver.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/checkpoint/agreement.h"
#include "engine/checkpoint/block_checksums.h"
#include "engine/checkpoint/manifest.h"
#include "engine/checkpoint/shard_layout.h"
#include "engine/checkpoint/step_folders.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

static_assert(std::endian::native == std::endian::little, "shards are little-endian and written as they lie in memory");

constexpr int64_t kWriteBytes = 8 << 20;  // one system call; checksums are computed while the bytes are in the cache

std::string random_suffix() {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", std::random_device{}());
  return text;
}

// A file and the checksums of what was written to it.
class SummedFile {
 public:
  SummedFile(FileSystem& files, const std::string& path, int64_t block_bytes)
      : file_(files.create(path)), sums_(block_bytes) {}

  void append(const void* data, int64_t bytes) {
    const char* at = static_cast<const char*>(data);
    for (int64_t done = 0; done < bytes; done += kWriteBytes) {
      const int64_t part = std::min(kWriteBytes, bytes - done);
      sums_.append(at + done, part);
      file_->append(at + done, static_cast<size_t>(part));
    }
    bytes_ += bytes;
  }
  void pad_to(int64_t offset) {
    const std::vector<char> zeros(static_cast<size_t>(offset - bytes_));
    append(zeros.data(), offset - bytes_);
  }
  std::vector<uint32_t> finish() {
    file_->finish();
    return sums_.blocks();
  }

 private:
  std::unique_ptr<OutputFile> file_;
  BlockChecksums sums_;
  int64_t bytes_ = 0;
};

std::string sums_to_bytes(const std::vector<uint32_t>& sums) {
  return {reinterpret_cast<const char*>(sums.data()), sums.size() * sizeof(uint32_t)};
}

std::vector<uint32_t> sums_from_bytes(const std::string& bytes) {
  std::vector<uint32_t> sums(bytes.size() / sizeof(uint32_t));
  std::memcpy(sums.data(), bytes.data(), bytes.size());
  return sums;
}

// One save, step by step; each step is one agreement of all ranks, so that nobody goes on alone.
class Saver {
 public:
  Saver(Communicator& world, const SaveRequest& request, const SaveOptions& options)
      : world_(world),
        request_(request),
        options_(options),
        own_files_(options.files ? nullptr : real_file_system()),
        files_(options.files ? *options.files : *own_files_) {}

  void run() {
    const std::string what = "checkpoint: saving step " + std::to_string(request_.step) + " failed";
    all_or_none(world_, what, [&] { layout_ = lay_out(request_.pieces, options_.alignment); });
    const auto layouts = all_gather_bytes(world_, to_bytes(layout_));
    suffix_ = all_gather_bytes(world_, leader() ? random_suffix() : "").front();
    target_ = request_.folder + "/" + step_name(request_.step);
    temporary_ = target_ + ".tmp-" + suffix_;
    try {
      all_or_none(world_, what, [&] { if (leader()) prepare(layouts); });
      all_or_none(world_, what, [&] { write_shard(); });
      const auto sums = all_gather_bytes(world_, sums_to_bytes(sums_));
      all_or_none(world_, what, [&] { if (leader()) complete(sums); });
    } catch (...) {
      if (leader()) remove_quietly(temporary_);
      throw;
    }
    if (leader()) prune();
    world_.barrier().wait();
  }

 private:
  bool leader() const { return world_.rank() == 0; }

  void prepare(const std::vector<std::string>& layouts) {
    std::vector<ShardLayout> decoded;
    for (const std::string& bytes : layouts) {
      decoded.push_back(layout_from_bytes(bytes));
      shard_ranks_.push_back(decoded.back().bytes > 0);
    }
    manifest_ = merge(decoded, options_.block_bytes);
    manifest_.step = request_.step;
    manifest_.state = request_.state ? request_.state->dump() : "{}";
    files_.create_folder(request_.folder);
    clean_leftovers(files_, request_.folder);
    files_.create_folder(temporary_);
  }

  void write_shard() {
    if (layout_.bytes == 0) return;
    SummedFile file(files_, temporary_ + "/" + shard_name(world_.rank()), options_.block_bytes);
    for (size_t i = 0; i < layout_.places.size(); ++i) {
      const auto& place = layout_.places[i];
      if (place.count == 0) continue;
      file.pad_to(place.file_offset);
      file.append(request_.pieces[i].data, place.count * static_cast<int64_t>(size_of(place.tensor.dtype)));
    }
    sums_ = file.finish();
    files_.sync_folder(temporary_);
  }

  // Rank 0: what all wrote becomes a checkpoint, then the one that `latest` names.
  void complete(const std::vector<std::string>& sums) {
    size_t file = 0;
    for (size_t rank = 0; rank < sums.size(); ++rank)
      if (shard_ranks_[rank]) manifest_.files[file++].blocks = sums_from_bytes(sums[rank]);
    if (!request_.model_config_text.empty()) write_text("config.json", request_.model_config_text, true);
    write_text(kManifestName, manifest_text(manifest_), false);
    files_.sync_folder(temporary_);
    const auto problems = CheckpointReader(temporary_).verify();
    if (!problems.empty()) throw Error(ErrorCode::kCorrupt, "read back: " + join(problems, "\n"));
    const bool replaced = std::filesystem::exists(target_);
    take_name(replaced);
    try {
      files_.sync_folder(request_.folder);
      replace_file(files_, request_.folder + "/latest", step_name(request_.step) + "\n", suffix_);
    } catch (const Error&) {
      give_name_back(replaced);
      throw;
    }
    files_.sync_folder(request_.folder);
    remove_quietly(temporary_);
    remove_quietly(aside());
  }

  void write_text(const std::string& name, const std::string& text, bool listed) {
    SummedFile file(files_, temporary_ + "/" + name, options_.block_bytes);
    file.append(text.data(), static_cast<int64_t>(text.size()));
    auto sums = file.finish();
    if (listed)
      manifest_.files.push_back({name, static_cast<int64_t>(text.size()), options_.block_bytes, std::move(sums)});
  }

  std::string aside() const { return target_ + ".old-" + suffix_; }

  // temporary_ -> target_. What was target_ is then temporary_ or, where names cannot be exchanged, aside().
  void take_name(bool replaced) {
    if (!replaced) return files_.rename(temporary_, target_);
    if (files_.exchange(temporary_, target_)) return;
    files_.rename(target_, aside());
    try {
      files_.rename(temporary_, target_);
    } catch (const Error&) {
      files_.rename(aside(), target_);
      throw;
    }
  }

  void give_name_back(bool replaced) {
    try {
      if (replaced && std::filesystem::exists(temporary_)) {
        files_.exchange(temporary_, target_);
        return;
      }
      files_.rename(target_, temporary_);
      if (replaced) files_.rename(aside(), target_);
    } catch (const Error&) {
      // Both checkpoints are complete under the names they have now; the next save tidies up.
    }
  }

  void prune() {
    try {
      std::vector<int64_t> complete;
      if (request_.keep > 0)
        for (int64_t step : steps_in(request_.folder))
          if (completeness_problems(request_.folder + "/" + step_name(step)).empty()) complete.push_back(step);
      for (int64_t step : steps_to_prune(complete, request_.step, request_.keep, read_latest(request_.folder)))
        remove_step(files_, request_.folder, step, suffix_);
    } catch (const Error&) {
      // The new checkpoint is safe; one too many on disk is removed by the next save.
    }
  }

  void remove_quietly(const std::string& path) {
    try {
      files_.remove_all(path);
    } catch (const Error&) {
      // The error that led here says more; the next save removes what is left.
    }
  }

  Communicator& world_;
  const SaveRequest& request_;
  const SaveOptions& options_;
  std::unique_ptr<FileSystem> own_files_;
  FileSystem& files_;
  ShardLayout layout_;
  std::string suffix_, target_, temporary_;
  std::vector<uint32_t> sums_;
  Manifest manifest_;              // rank 0's
  std::vector<bool> shard_ranks_;  // rank 0's: which ranks wrote a file
};

}  // namespace

void save_checkpoint(Communicator& world, const SaveRequest& request, const SaveOptions& options) {
  Saver(world, request, options).run();
}

void save_checkpoint(Communicator& world, const SaveRequest& request) { save_checkpoint(world, request, {}); }

}  // namespace ds
