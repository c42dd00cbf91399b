// The kernels' formulas against the engine's optimizer and gradient norm.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <ATen/ops/from_blob.h>

#include "cuda/arithmetic/adam.h"
#include "cuda/arithmetic/block_squares.h"
#include "cuda/arithmetic/elements.h"
#include "engine/optim/update_rule.h"
#include "engine/zero/gradient_squares.h"

namespace ds {
namespace {

namespace arith = arithmetic;

float value_at(int64_t i, double magnitude) { return static_cast<float>(std::sin(0.37 * static_cast<double>(i + 1)) * magnitude); }

std::vector<float> values(int64_t count, double magnitude) {
  std::vector<float> result(count);
  for (int64_t i = 0; i < count; ++i) result[i] = value_at(i, magnitude);
  return result;
}

at::Tensor tensor_of(std::vector<float>& v) { return at::from_blob(v.data(), {static_cast<int64_t>(v.size())}, at::kFloat); }

// Twenty steps beside the engine's Adam; rounding in another order is all that may differ.
void compare_adam(OptimizerSettings::Type type, bool bias_correction) {
  constexpr int64_t kCount = 1000;
  OptimizerSettings settings;
  settings.type = type;
  settings.bias_correction = bias_correction;
  const auto rule = make_adam(settings);
  std::vector<float> weight = values(kCount, 0.5), m(kCount, 0), v(kCount, 0);
  std::vector<float> weight2 = weight, m2 = m, v2 = v;
  UpdateArguments a;
  a.learning_rate = 1e-2;
  a.weight_decay = 0.1;
  a.beta1 = settings.beta1;
  a.beta2 = settings.beta2;
  for (a.step = 1; a.step <= 20; ++a.step) {
    const std::vector<float> gradient = values(kCount, 0.01 * static_cast<double>(a.step));
    constexpr float kScale = 0.25f;
    std::vector<float> scaled = gradient;
    for (float& g : scaled) g *= kScale;
    rule->update({tensor_of(weight)}, {tensor_of(scaled)}, {{tensor_of(m)}, {tensor_of(v)}}, a);
    const arith::AdamFactors factors =
        arith::adam_factors({a.learning_rate, a.beta1, a.beta2, settings.epsilon, a.weight_decay,
                             bias_correction ? a.step : 0, kScale, type == OptimizerSettings::Type::kAdamW});
    for (int64_t i = 0; i < kCount; ++i) arith::adam_element(weight2[i], m2[i], v2[i], gradient[i], factors);
  }
  for (int64_t i = 0; i < kCount; ++i) {
    // 20 updates of at most 1e-2, each right to a few units of fp32.
    ASSERT_NEAR(weight2[i], weight[i], 2e-6) << i;
    ASSERT_NEAR(m2[i], m[i], 1e-5 * std::abs(m[i]) + 1e-9) << i;
    ASSERT_NEAR(v2[i], v[i], 1e-5 * std::abs(v[i]) + 1e-12) << i;
  }
}

TEST(CudaAdam, IsTheEnginesAdamW) { compare_adam(OptimizerSettings::Type::kAdamW, true); }
TEST(CudaAdam, IsTheEnginesAdam) { compare_adam(OptimizerSettings::Type::kAdam, true); }
TEST(CudaAdam, IsTheEnginesAdamWWithoutBiasCorrection) { compare_adam(OptimizerSettings::Type::kAdamW, false); }
TEST(CudaAdam, IsTheEnginesAdamWithoutBiasCorrection) { compare_adam(OptimizerSettings::Type::kAdam, false); }

template <class Element>
double squares(const typename Element::Stored* x, int64_t count) {
  double sum = 0;
  for (int64_t b = 0; b < count; b += arith::kSquaresBlock) {
    double l[arith::kSquaresLanes];
    for (int lane = 0; lane < arith::kSquaresLanes; ++lane) l[lane] = arith::lane_squares<Element>(x + b, lane);
    sum += ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
  }
  return sum;
}

TEST(CudaBlockSquares, HaveTheBitsOfTheEnginesNorm) {
  std::vector<float> x = values(256 * 41, 3.0);
  EXPECT_EQ(squares<arith::Plain<float>>(x.data(), static_cast<int64_t>(x.size())), block_squares(tensor_of(x)));
  const at::Tensor half = tensor_of(x).to(at::kBFloat16);
  EXPECT_EQ(squares<arith::BFloat16>(static_cast<const uint16_t*>(half.const_data_ptr()), half.numel()),
            block_squares(half));
}

}  // namespace
}  // namespace ds
