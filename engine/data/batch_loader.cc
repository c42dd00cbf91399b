#include "engine/data/batch_loader.h"

#include <algorithm>
#include <utility>

#include "topology/base/error.h"

namespace ds {
namespace {

constexpr int64_t kNotCounted = -100;

Batch dummy_batch(int64_t length, int64_t sample) {
  Batch batch;
  batch.rows = 1;
  batch.length = length;
  batch.tokens.assign(static_cast<size_t>(length), 0);
  batch.labels.assign(static_cast<size_t>(length), kNotCounted);
  batch.samples = {sample};
  batch.dummy = true;
  return batch;
}

}  // namespace

BatchLoader::BatchLoader(std::unique_ptr<TokenSource> source, const SampleIndex& index, int64_t vocab_size)
    : source_(std::move(source)), index_(index), vocab_size_(vocab_size) {}

Batch BatchLoader::rows(const std::vector<int64_t>& samples, bool shuffled) const {
  const int64_t length = index_.sequence_length();
  Batch batch;
  batch.rows = static_cast<int64_t>(samples.size());
  batch.length = length;
  batch.samples = samples;
  batch.counted = batch.rows * length;
  std::vector<int64_t> window(static_cast<size_t>(length + 1));
  for (const int64_t sample : samples) {
    const int64_t offset = shuffled ? index_.token_offset(sample) : sample * length;
    source_->read(offset, length + 1, window.data());
    for (size_t i = 0; i < window.size(); ++i) {
      if (window[i] >= 0 && window[i] < vocab_size_) continue;
      throw Error(ErrorCode::kUsage, "data: token outside the vocabulary: " +
                                         source_->locate(offset + static_cast<int64_t>(i)) +
                                         ": id=" + std::to_string(window[i]) +
                                         ": vocab_size=" + std::to_string(vocab_size_));
    }
    batch.tokens.insert(batch.tokens.end(), window.begin(), window.end() - 1);
    batch.labels.insert(batch.labels.end(), window.begin() + 1, window.end());
  }
  return batch;
}

Batch BatchLoader::micro_batch(int64_t step, int64_t train_batch, int64_t micro, int64_t m, int dp, int r) const {
  const int64_t first = step * train_batch, begin = (m * dp + r) * micro;
  std::vector<int64_t> samples;
  for (int64_t i = begin; i < std::min(begin + micro, train_batch); ++i) samples.push_back(first + i);
  if (samples.empty()) return dummy_batch(index_.sequence_length(), first);
  return rows(samples, true);
}

Batch BatchLoader::evaluation_batch(int64_t first, int64_t rows_wanted) const {
  std::vector<int64_t> windows;
  for (int64_t i = first; i < std::min(first + rows_wanted, num_windows()); ++i) windows.push_back(i);
  if (windows.empty()) return dummy_batch(index_.sequence_length(), 0);
  return rows(windows, false);
}

}  // namespace ds
