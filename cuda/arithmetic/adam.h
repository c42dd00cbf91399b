// One element of Adam (Kingma and Ba, 2015) or AdamW (Loshchilov and Hutter, 2019), as engine/optim/adam.cc has it.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/arithmetic/target.h"
#include "cuda/module.h"

namespace ds::arithmetic {

// What all elements of a step share, rounded to fp32 once.
struct AdamFactors {
  float scale, beta1, beta2, rest1, rest2, epsilon;
  float keep;        // AdamW: the weight is multiplied by 1 - lr * decay first
  float decay;       // Adam: the weight's share in the gradient
  float step_size;   // lr / (1 - beta1^step)
  float correction;  // sqrt(1 - beta2^step)
};

inline AdamFactors adam_factors(const DsAdamStep& s) {
  const bool corrected = s.step > 0;
  const double c1 = corrected ? 1 - std::pow(s.beta1, static_cast<double>(s.step)) : 1;
  const double c2 = corrected ? 1 - std::pow(s.beta2, static_cast<double>(s.step)) : 1;
  AdamFactors f;
  f.scale = s.scale;
  f.beta1 = static_cast<float>(s.beta1);
  f.beta2 = static_cast<float>(s.beta2);
  // With bias correction as torch's kernels round it, without as DeepSpeed's FusedAdam and the engine's own loop do.
  f.rest1 = corrected ? static_cast<float>(1 - s.beta1) : 1.0f - f.beta1;
  f.rest2 = corrected ? static_cast<float>(1 - s.beta2) : 1.0f - f.beta2;
  f.epsilon = static_cast<float>(s.epsilon);
  f.keep = s.decoupled ? static_cast<float>(1 - s.learning_rate * s.weight_decay) : 1.0f;
  f.decay = s.decoupled ? 0.0f : static_cast<float>(s.weight_decay);
  f.step_size = static_cast<float>(s.learning_rate / c1);
  f.correction = static_cast<float>(std::sqrt(c2));
  return f;
}

DS_HOST_DEVICE void adam_element(float& weight, float& exp_avg, float& exp_avg_sq, float gradient,
                                 const AdamFactors& f) {
  const float g = gradient * f.scale + f.decay * weight;
  exp_avg = f.beta1 * exp_avg + f.rest1 * g;
  exp_avg_sq = f.beta2 * exp_avg_sq + f.rest2 * g * g;
  const float denominator = sqrtf(exp_avg_sq) / f.correction + f.epsilon;
  weight = weight * f.keep - f.step_size * (exp_avg / denominator);
}

}  // namespace ds::arithmetic
