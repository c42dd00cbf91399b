// The table of representations against the formulas of the ZeRO paper (bytes per parameter, padding listed apart).
#include "engine/sharding/representation.h"

#include <gtest/gtest.h>

namespace ds {
namespace {

// One unit without padding: P = 4096 elements, N = 4.
std::vector<UnitLayout> layouts(int ranks) {
  Parameter p;
  p.name = "w";
  p.shape = {4096};
  return layout_units({UnitDefinition{"u", {0}}}, {p}, ranks);
}

int64_t persistent_bytes(const StageOptions& options, int ranks) {
  int64_t bytes = 0;
  for (const Representation& r : representations(options))
    if (r.lifetime == Lifetime::kPersistent) bytes += arena_bytes(r, layouts(ranks));
  return bytes;
}

// zero_state_bytes(P, N, stage, K = 12, ew = 2, eg = 2) of the paper's section 3, mixed precision Adam.
TEST(Representation, SixteenBytesPerParameterInBf16SpreadByStage) {
  StageOptions options{0, DType::kBFloat16, DType::kBFloat16, {Kind::kExpAvg, Kind::kExpAvgSq}};
  const int64_t p = 4096, n = 4;
  EXPECT_EQ(persistent_bytes(options, n), (2 + 2 + 12) * p);
  options.stage = 1;
  EXPECT_EQ(persistent_bytes(options, n), (2 + 2) * p + 12 * p / n);
  options.stage = 2;
  EXPECT_EQ(persistent_bytes(options, n), 2 * p + (2 + 12) * p / n);
  options.stage = 3;
  EXPECT_EQ(persistent_bytes(options, n), (2 + 2 + 12) * p / n);
}

TEST(Representation, Fp32NeedsNoSeparateMaster) {
  StageOptions options{0, DType::kFloat32, DType::kFloat32, {Kind::kExpAvg, Kind::kExpAvgSq}};
  EXPECT_EQ(persistent_bytes(options, 4), 16 * 4096);
  options.stage = 3;
  EXPECT_EQ(persistent_bytes(options, 4), 16 * 4096 / 4);
}

// performance.md 6.4: DDP, Z1: 2 M (n-1)/n; Z2 with k micro-steps (k+1) M (n-1)/n; Z3 3 k M (n-1)/n.
TEST(Representation, TrafficFollowsTheFormulas) {
  const int64_t m = 4096 * 2, n = 4, k = 3;
  const auto total = [&](int stage) {
    const StageOptions options{stage, DType::kBFloat16, DType::kFloat32, {}};
    const StepTraffic traffic = step_traffic(options, layouts(n), k, {2});
    return traffic.reduce_scatter + traffic.all_gather;
  };
  EXPECT_EQ(total(0), 2 * m * (n - 1) / n);
  EXPECT_EQ(total(1), 2 * m * (n - 1) / n);
  EXPECT_EQ(total(2), (k + 1) * m * (n - 1) / n);
  EXPECT_EQ(total(3), 3 * k * m * (n - 1) / n);
}

}  // namespace
}  // namespace ds
