#include "topology/axis_traffic.h"

#include <gtest/gtest.h>

#include "tests/topology/expect_error.h"

namespace ds {
namespace {

constexpr double kMebi = 1 << 20;

double bytes_along(Axis axis, const ParallelDims& dims, const ModelShape& shape) { return axis_bytes(dims, shape)[static_cast<size_t>(axis)]; }

TEST(AxisBytes, AreThoseOfThePapers) {
  const ModelShape layer{.layers = 1, .hidden = 12288, .sequence = 2048, .micro_batch = 1, .microbatches = 1};
  EXPECT_NEAR(bytes_along(Axis::kTensor, {.tensor = 8}, layer) / kMebi, 336, 1e-6);
  const ModelShape wide{.layers = 2, .hidden = 20480, .sequence = 2048, .micro_batch = 1, .microbatches = 1};
  EXPECT_NEAR(bytes_along(Axis::kPipeline, {.pipeline = 2}, wide) / kMebi, 80, 1e-6);
  ModelShape llama{.parameters = 8.03e9, .microbatches = 1};
  EXPECT_NEAR(bytes_along(Axis::kData, {.data = 8}, llama) / 1e9, 28.105, 1e-3);
  llama.zero_stage = 3;
  EXPECT_NEAR(bytes_along(Axis::kData, {.data = 8}, llama) / 1e9, 42.1575, 1e-3);
  // Four exchanges of N h e / P forward and as many backward, of which a rank keeps one part in P.
  const ModelShape ulysses{.layers = 1, .hidden = 4096, .sequence = 65536, .micro_batch = 1, .microbatches = 1};
  EXPECT_NEAR(bytes_along(Axis::kSequence, {.sequence = 8}, ulysses) / kMebi, 2 * 256 * 7.0 / 8, 1e-6);
}

TEST(AxisBytes, OfAxesOfOneMemberAreNone) {
  for (const double bytes : axis_bytes({}, {})) EXPECT_EQ(bytes, 0);
  EXPECT_TRUE(traffic_of(ProcessMesh({}), axis_bytes({}, {})).empty());
}

TEST(Traffic, GradientsGoOverAllRanksWithTheSameParameters) {
  const ParallelDims dims{.tensor = 2, .sequence = 2, .data = 2};
  const std::vector<Traffic> traffic = traffic_of(ProcessMesh(dims), axis_bytes(dims, {}));
  ASSERT_EQ(traffic.size(), 3u);
  EXPECT_EQ(traffic[2].axis, Axis::kData);
  EXPECT_EQ(traffic[2].groups, (std::vector<std::vector<int>>{{0, 2, 4, 6}, {1, 3, 5, 7}}));
}

TEST(MeshText, NamesSizesFromTheFastestAxis) {
  const ProcessMesh mesh = parse_mesh("dp=2,tensor=4", std::nullopt);
  EXPECT_EQ(mesh.world_size(), 8);
  EXPECT_EQ(mesh.size(Axis::kTensor), 4);
  EXPECT_EQ(mesh.groups({Axis::kData})[0], (std::vector<int>{0, 1}));
  EXPECT_EQ(parse_mesh("tp=4", 12).size(Axis::kData), 3);
  EXPECT_EQ(parse_mesh("tp=4,dp=2", 8).size(Axis::kData), 2);
}

TEST(MeshText, RefusesWhatIsNoMesh) {
  const auto refused = [](const std::string& text, std::optional<int> ranks = std::nullopt) { return usage_error_of([&] { parse_mesh(text, ranks); }); };
  expect_words(refused("tp"), {"--mesh=tp", "'tp'", "axis=number"});
  expect_words(refused("xx=2"), {"'xx=2'", "tp, sp, cp, ep, dp, pp"});
  expect_words(refused("tp=2,tensor=2"), {"tp is given twice"});
  for (const char* text : {"tp=0", "tp=-1", "tp=x", "tp=", "tp=99999999999"}) expect_words(refused(text), {"whole number"});
  expect_words(refused("tp=65536,dp=65536"), {"more than"});
  expect_words(refused("tp=8", 30), {"--mesh=tp=8: 30 ranks are no multiple of 8: must be 24 or 32, or another multiple"});
  expect_words(refused("tp=2,pp=2", 3), {"3 ranks are no multiple of 4: must be 4, or another multiple"});
  expect_words(refused("tp=4,dp=2", 4), {"makes 8 ranks, but there are 4: must be 8, or leave out dp"});
  expect_words(usage_error_of([] { parse_axis_bytes("tp=-1", {}); }), {"--mesh-bytes", "number of bytes"});
}

TEST(MeshText, RefusesBytesOfAnAxisThatTheMeshDoesNotHave) {
  expect_words(usage_error_of([] { check_axes_of_mesh("tp=1,pp=3", "tensor=8"); }),
               {"--mesh-bytes=tp=1,pp=3: pp is no axis of --mesh=tensor=8: must be of tp, dp"});
  check_axes_of_mesh("dp=1,pipeline=3", "pp=8");
}

}  // namespace
}  // namespace ds
