#include "engine/checkpoint/agreement.h"

#include <algorithm>
#include <cstring>

#include "topology/base/error.h"

namespace ds {
namespace {

constexpr size_t kMaxMessagesShown = 4;
constexpr int64_t kNoFailure = -1;

struct Outcome {
  int64_t code = kNoFailure;
  std::string message;
};

Outcome outcome_of(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const Error& error) {
    return {static_cast<int64_t>(error.code()), error.what()};
  } catch (const std::exception& error) {
    return {static_cast<int64_t>(ErrorCode::kInternal), error.what()};
  }
}

}  // namespace

std::vector<std::string> all_gather_bytes(Communicator& world, const std::string& own) {
  const int n = world.size();
  const int64_t length = static_cast<int64_t>(own.size());
  std::vector<int64_t> lengths(n);
  world.all_gather({&length, 1, DType::kInt64}, TensorView{lengths.data(), n, DType::kInt64}).wait();
  const int64_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::vector<std::string> all(n);
  if (longest == 0) return all;
  std::vector<char> in(longest), out(longest * n);
  std::memcpy(in.data(), own.data(), own.size());
  world.all_gather({in.data(), longest, DType::kUInt8}, TensorView{out.data(), longest * n, DType::kUInt8}).wait();
  for (int r = 0; r < n; ++r) all[r].assign(out.data() + r * longest, lengths[r]);
  return all;
}

void all_or_none(Communicator& world, const std::string& what, const std::function<void()>& work) {
  const Outcome own = outcome_of(work);
  std::vector<int64_t> codes(world.size());
  world.all_gather({&own.code, 1, DType::kInt64}, TensorView{codes.data(), world.size(), DType::kInt64}).wait();
  const auto first = std::find_if(codes.begin(), codes.end(), [](int64_t code) { return code != kNoFailure; });
  if (first == codes.end()) return;
  const auto messages = all_gather_bytes(world, own.message);
  std::string text = what;
  size_t shown = 0, failed = 0;
  for (size_t r = 0; r < codes.size(); ++r) {
    if (codes[r] == kNoFailure) continue;
    if (++failed <= kMaxMessagesShown) {
      text += ": rank " + std::to_string(world.world_ranks()[r]) + ": " + messages[r];
      ++shown;
    }
  }
  if (failed > shown) text += ": and " + std::to_string(failed - shown) + " more ranks";
  throw Error(static_cast<ErrorCode>(*first), text);
}

}  // namespace ds
