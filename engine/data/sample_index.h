// Which tokens sample n of the run is: a pure function of stream length, sequence length, shuffle flag and seed.
// interface.md section 3 "Data order".
#pragma once

#include <cstdint>
#include <string>

namespace ds {

class SampleIndex {
 public:
  // Throws kUsage when the stream is shorter than sequence_length + 1 tokens.
  SampleIndex(int64_t num_tokens, int64_t sequence_length, bool shuffle, uint64_t seed, const std::string& stream_name);

  int64_t num_windows() const { return num_windows_; }  // floor((T - 1) / L)
  // The window of global sample number n (n = step * train_batch_size + i). Without shuffle: n mod windows. With it:
  // a keyed permutation of the windows, a new one each epoch (epoch = n / windows).
  int64_t window(int64_t sample) const;
  int64_t token_offset(int64_t sample) const { return window(sample) * sequence_length_; }
  int64_t sequence_length() const { return sequence_length_; }
  std::string fingerprint(const std::string& stream_fingerprint) const;

 private:
  int64_t num_windows_, sequence_length_;
  bool shuffle_;
  uint64_t seed_;
};

}  // namespace ds
