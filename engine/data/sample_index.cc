#include "engine/data/sample_index.h"

#include "engine/data/permutation.h"
#include "topology/base/error.h"

namespace ds {

SampleIndex::SampleIndex(int64_t num_tokens, int64_t sequence_length, bool shuffle, uint64_t seed,
                         const std::string& stream_name)
    : num_windows_(0), sequence_length_(sequence_length), shuffle_(shuffle), seed_(seed) {
  if (sequence_length < 1) {
    throw Error(ErrorCode::kUsage,
                "data: sequence_length=" + std::to_string(sequence_length) + ": must be at least 1");
  }
  num_windows_ = (num_tokens - 1) / sequence_length;
  if (num_tokens < 1 || num_windows_ < 1) {
    throw Error(ErrorCode::kUsage, "data: too short for one sequence: " + stream_name + " has tokens=" +
                                       std::to_string(num_tokens) + ": sequence_length=" +
                                       std::to_string(sequence_length) + " needs at least " +
                                       std::to_string(sequence_length + 1));
  }
}

int64_t SampleIndex::window(int64_t sample) const {
  const int64_t epoch = sample / num_windows_, place = sample % num_windows_;
  if (!shuffle_) return place;
  return Permutation(num_windows_, seed_, static_cast<uint64_t>(epoch))(place);
}

std::string SampleIndex::fingerprint(const std::string& stream_fingerprint) const {
  std::string text = stream_fingerprint + ";sequence_length=" + std::to_string(sequence_length_);
  if (shuffle_) text += ";shuffle=feistel6;seed=" + std::to_string(seed_);
  return text;
}

}  // namespace ds
