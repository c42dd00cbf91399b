// Micro-batches of a step for one data-parallel rank.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/data/sample_index.h"
#include "engine/data/token_source.h"

namespace ds {

struct Batch {
  int64_t rows = 0, length = 0;
  std::vector<int64_t> tokens, labels;  // rows x length, row-major; label -100 is not counted
  std::vector<int64_t> samples;         // global sample number of each row: dropout is a function of it
  int64_t counted = 0;                  // labels that are not -100
  bool dummy = false;                   // weight 0: exists only so that collectives match
};

class BatchLoader {
 public:
  // vocab_size: every token is checked; a larger id is a kUsage Error naming file, position, id and size.
  BatchLoader(std::unique_ptr<TokenSource> source, const SampleIndex& index, int64_t vocab_size);

  // Rows of micro-batch m (0-based, of the whole step) for rank r of dp: samples first + (m * dp + r) * micro + b where
  // first = step * train_batch. Rows at or beyond train_batch do not exist; a micro-batch without rows is a dummy
  // (one row, all labels -100).
  Batch micro_batch(int64_t step, int64_t train_batch, int64_t micro, int64_t m, int dp, int r) const;

  // Row block for evaluation: samples [first, first + rows) in file order (no shuffle), clipped to the last window.
  Batch evaluation_batch(int64_t first, int64_t rows) const;
  int64_t num_windows() const { return index_.num_windows(); }
  const SampleIndex& index() const { return index_; }
  const TokenSource& source() const { return *source_; }

 private:
  Batch rows(const std::vector<int64_t>& samples, bool shuffled) const;
  std::unique_ptr<TokenSource> source_;
  SampleIndex index_;
  int64_t vocab_size_;
};

}  // namespace ds
