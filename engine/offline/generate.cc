#include "engine/offline/generate.h"

#include <algorithm>
#include <cmath>

#include "engine/random/philox.h"
#include "topology/base/error.h"

namespace ds {
namespace {

int64_t most_likely(const float* logits, int64_t count) { return std::max_element(logits, logits + count) - logits; }

// Inverse of the distribution function at a counted uniform number.
int64_t sample(const float* logits, int64_t count, const GenerateOptions& options, int64_t number) {
  const double top = logits[most_likely(logits, count)];
  std::vector<double> weights(count);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += weights[i] = std::exp((logits[i] - top) / options.temperature);
  const uint64_t key = random_key(options.seed, "generate/" + std::to_string(number));
  const auto words = philox({0, 0, 0, 0}, {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
  double left = words[0] / 4294967296.0 * sum;
  for (int64_t i = 0; i < count; ++i)
    if ((left -= weights[i]) < 0) return i;
  return count - 1;
}

}  // namespace

std::vector<int64_t> generate(OfflineModel& model, const std::vector<int64_t>& prompt, const GenerateOptions& options,
                              const std::function<void(int64_t)>& on_token) {
  if (prompt.empty()) throw Error(ErrorCode::kUsage, "generate: the prompt is empty: give at least one token");
  const int64_t vocabulary = model.config().vocab_size;
  for (const int64_t token : prompt)
    if (token < 0 || token >= vocabulary)
      throw Error(ErrorCode::kUsage, "generate: token=" + std::to_string(token) + ": the vocabulary has " +
                                         std::to_string(vocabulary) + " tokens, ids 0 to " +
                                         std::to_string(vocabulary - 1));
  std::vector<int64_t> sequence = prompt, fresh;
  for (int64_t n = 0; n < options.num_tokens; ++n) {
    const auto length = std::min<int64_t>(static_cast<int64_t>(sequence.size()), model.config().max_positions);
    const at::Tensor logits = model.logits({sequence.end() - length, sequence.end()}).contiguous();
    const float* last = logits.const_data_ptr<float>() + (length - 1) * vocabulary;
    const int64_t token =
        options.temperature == 0 ? most_likely(last, vocabulary) : sample(last, vocabulary, options, n);
    sequence.push_back(token);
    fresh.push_back(token);
    if (on_token) on_token(token);
  }
  return fresh;
}

}  // namespace ds
