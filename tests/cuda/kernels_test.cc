// The module's kernels against the formulas of cuda/arithmetic/, bit for bit. One body for two tables: the fake, which
// shows that the bodies are right, and the real module where a GPU is.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "collectives/ordered_sum.h"
#include "cuda/arithmetic/adam.h"
#include "cuda/arithmetic/block_squares.h"
#include "cuda/arithmetic/elements.h"
#include "tests/collectives/sample_values.h"
#include "tests/support/fake_cuda.h"

namespace ds {
namespace {

namespace arith = arithmetic;
using contract::sample;
using contract::Values;

enum class Which { kFake, kGpu };

class Kernels : public testing::TestWithParam<Which> {
 protected:
  void SetUp() override {
    cuda_ = GetParam() == Which::kFake ? fake_cuda::support() : find_cuda();
    if (!cuda_.usable()) GTEST_SKIP() << "skipped: no GPU: " << cuda_.absence;
    ok(table().set_device(0));
    ok(table().stream_create(&stream_));
  }
  void TearDown() override {
    for (void* memory : memory_) ok(table().release(memory));
    if (stream_) ok(table().stream_destroy(stream_));
  }
  const DsCudaModule& table() const { return *cuda_.module->table; }
  void ok(int code) { ASSERT_EQ(code, 0) << table().cuda_error(code); }

  template <class T>
  T* to_device(const std::vector<T>& host) {
    void* memory = nullptr;
    ok(table().allocate(&memory, host.size() * sizeof(T)));
    memory_.push_back(memory);
    ok(table().copy(memory, host.data(), host.size() * sizeof(T), stream_));
    ok(table().stream_synchronize(stream_));
    return static_cast<T*>(memory);
  }
  template <class T>
  std::vector<T> from_device(const T* memory, size_t count) {
    std::vector<T> host(count);
    ok(table().copy(host.data(), memory, count * sizeof(T), stream_));
    ok(table().stream_synchronize(stream_));
    return host;
  }

  CudaSupport cuda_;
  void* stream_ = nullptr;
  std::vector<void*> memory_;
};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

std::vector<float> floats(int64_t count, uint64_t seed) {
  const Values values = sample(DType::kFloat32, count, seed);
  std::vector<float> result(count);
  std::memcpy(result.data(), values.bytes.data(), values.bytes.size());
  return result;
}

std::vector<uint16_t> bfloats(int64_t count, uint64_t seed) {
  std::vector<uint16_t> result;
  for (float x : floats(count, seed)) result.push_back(arith::round_bfloat16(x));
  return result;
}

constexpr int kFloat = static_cast<int>(DType::kFloat32), kBFloat = static_cast<int>(DType::kBFloat16);
constexpr int64_t kCount = 70'000;  // more than one block of threads, no multiple of it

TEST_P(Kernels, OrderedSumHasTheBitsOfTheHosts) {
  for (DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kFloat16, DType::kFloat64, DType::kInt64})
    for (int n : {1, 2, 3, 5, 8, 13}) {
      std::vector<unsigned char> leaves;
      for (int k = 0; k < n; ++k) {
        const Values values = sample(dtype, kCount, static_cast<uint64_t>(k + 1));
        leaves.insert(leaves.end(), values.bytes.begin(), values.bytes.end());
      }
      const size_t bytes = leaves.size() / n;
      std::vector<const void*> pieces;
      for (int k = 0; k < n; ++k) pieces.push_back(leaves.data() + k * bytes);
      std::vector<unsigned char> expected(bytes);
      reduce_in_order(expected.data(), pieces, kCount, dtype, ReduceOp::kSum);
      auto* out = to_device(std::vector<unsigned char>(bytes, 0));
      ok(table().ordered_sum(out, to_device(leaves), n, kCount, static_cast<int>(dtype), 0, stream_));
      EXPECT_TRUE(same_bits(from_device(out, bytes), expected)) << name_of(dtype) << " of " << n;
    }
}

TEST_P(Kernels, AdamUpdatesMasterStatesAndWorkCopy) {
  const DsAdamStep step{1e-3, 0.9, 0.95, 1e-8, 0.1, 3, 0.5f, 1};
  std::vector<float> master = floats(kCount, 1), m = floats(kCount, 2), v = floats(kCount, 3);
  for (float& x : v) x = std::abs(x);
  const std::vector<uint16_t> gradient = bfloats(kCount, 4);
  std::vector<uint16_t> work(kCount, 0);
  DsAdamRange range{to_device(master), to_device(m), to_device(v), to_device(gradient), to_device(work), kBFloat, kBFloat, kCount};
  ok(table().adam(&range, &step, stream_));
  const arith::AdamFactors factors = arith::adam_factors(step);
  for (int64_t i = 0; i < kCount; ++i) {
    arith::adam_element(master[i], m[i], v[i], arith::widen_bfloat16(gradient[i]), factors);
    work[i] = arith::round_bfloat16(master[i]);
  }
  EXPECT_TRUE(same_bits(from_device(range.master, kCount), master));
  EXPECT_TRUE(same_bits(from_device(range.exp_avg, kCount), m));
  EXPECT_TRUE(same_bits(from_device(range.exp_avg_sq, kCount), v));
  EXPECT_TRUE(same_bits(from_device(static_cast<uint16_t*>(range.work), kCount), work));
}

TEST_P(Kernels, BlockSquaresHaveTheBitsOfTheHosts) {
  const std::vector<float> x = floats(256 * 300, 5);
  std::vector<double> expected;
  for (size_t b = 0; b < x.size(); b += arith::kSquaresBlock) {
    double l[arith::kSquaresLanes];
    for (int lane = 0; lane < arith::kSquaresLanes; ++lane)
      l[lane] = arith::lane_squares<arith::Plain<float>>(x.data() + b, lane);
    expected.push_back(((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7])));
  }
  auto* sums = to_device(std::vector<double>(expected.size(), 0.0));
  ok(table().block_squares(to_device(x), kFloat, static_cast<int64_t>(x.size()), sums, stream_));
  EXPECT_TRUE(same_bits(from_device(sums, expected.size()), expected));
}

TEST_P(Kernels, ScaleCastAccumulateRoundAsOnTheHost) {
  const std::vector<float> x = floats(kCount, 6);
  std::vector<float> scaled = x, sum = floats(kCount, 7);
  std::vector<uint16_t> half(kCount);
  for (float& value : scaled) value *= 0.37f;
  auto* on_device = to_device(x);
  ok(table().scale(on_device, kFloat, kCount, 0.37f, stream_));
  EXPECT_TRUE(same_bits(from_device(on_device, kCount), scaled));
  for (int64_t i = 0; i < kCount; ++i) half[i] = arith::round_bfloat16(scaled[i]);
  auto* half_on_device = to_device(std::vector<uint16_t>(kCount, 0));
  ok(table().cast(on_device, kFloat, half_on_device, kBFloat, kCount, stream_));
  EXPECT_TRUE(same_bits(from_device(half_on_device, kCount), half));
  auto* sum_on_device = to_device(sum);
  ok(table().accumulate(sum_on_device, half_on_device, kBFloat, kCount, stream_));
  for (int64_t i = 0; i < kCount; ++i) sum[i] += arith::widen_bfloat16(half[i]);
  EXPECT_TRUE(same_bits(from_device(sum_on_device, kCount), sum));
}

TEST_P(Kernels, ValuesThatAreNotFiniteAreCounted) {
  std::vector<float> x = floats(kCount, 8);
  for (float& value : x)
    if (!std::isfinite(value)) value = 1;
  x[3] = std::numeric_limits<float>::infinity();
  x[40'000] = -std::numeric_limits<float>::infinity();
  x[69'999] = std::numeric_limits<float>::quiet_NaN();
  auto* counter = to_device(std::vector<uint64_t>{0});
  ok(table().count_not_finite(to_device(x), kFloat, kCount, counter, stream_));
  EXPECT_EQ(from_device(counter, 1)[0], 3u);
}

INSTANTIATE_TEST_SUITE_P(On, Kernels, testing::Values(Which::kFake, Which::kGpu),
                         [](const auto& info) { return info.param == Which::kFake ? "Fake" : "Gpu"; });

}  // namespace
}  // namespace ds
