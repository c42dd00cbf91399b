#include "engine/checkpoint/shard_layout.h"

#include <gtest/gtest.h>

#include "tests/engine/checkpoint/support.h"

namespace ds {
namespace {

using test::error_of;

const TensorInfo kTen{"w", "weight", DType::kFloat32, {2, 5}};
const TensorInfo kBytes{"b", "buffer", DType::kUInt8, {3}};

TEST(ShardLayout, AlignsEveryPieceAndEndsWithTheLast) {
  const ShardLayout layout = lay_out({{kTen, 0, 3, nullptr}, {kTen, 7, 0, nullptr}, {kBytes, 0, 3, nullptr}}, 256);
  ASSERT_EQ(layout.places.size(), 3u);
  EXPECT_EQ(layout.places[0].file_offset, 0);
  EXPECT_EQ(layout.places[2].file_offset, 256);
  EXPECT_EQ(layout.bytes, 259);
}

TEST(ShardLayout, TakesNoSpaceForEmptyPieces) { EXPECT_EQ(lay_out({{kTen, 10, 0, nullptr}}, 256).bytes, 0); }

TEST(ShardLayout, RefusesPiecesOutsideTheTensor) {
  EXPECT_NE(error_of([] { lay_out({{kTen, 8, 3, nullptr}}, 256); }).find("'w' (weight)"), std::string::npos);
  EXPECT_NE(error_of([] { lay_out({{kTen, -1, 3, nullptr}}, 256); }), "");
}

TEST(ShardLayout, SurvivesTheTripToRankZero) {
  const ShardLayout layout = lay_out({{kTen, 1, 4, nullptr}, {kBytes, 0, 3, nullptr}}, 64);
  const ShardLayout back = layout_from_bytes(to_bytes(layout));
  EXPECT_EQ(back.bytes, layout.bytes);
  EXPECT_EQ(back.places[1].tensor.name, "b");
  EXPECT_EQ(back.places[1].tensor.dtype, DType::kUInt8);
  EXPECT_EQ(back.places[1].file_offset, 64);
  EXPECT_EQ(back.places[0].tensor.shape, (std::vector<int64_t>{2, 5}));
}

TEST(Merge, MakesOneTensorOfAllRanksPiecesAndSkipsRanksWithoutBytes) {
  const Manifest merged = merge({lay_out({{kTen, 6, 4, nullptr}}, 64), lay_out({{kTen, 10, 0, nullptr}}, 64),
                                 lay_out({{kTen, 0, 6, nullptr}}, 64)}, 1024);
  ASSERT_EQ(merged.files.size(), 2u);
  EXPECT_EQ(merged.files[1].name, "rank2.bin");
  ASSERT_EQ(merged.tensors.size(), 1u);
  EXPECT_EQ(merged.tensors[0].pieces[0].file, 1);
  EXPECT_EQ(merged.tensors[0].pieces[1].offset, 6);
}

TEST(Merge, NamesTensorRangeAndRanksOfHolesAndRepetitions) {
  EXPECT_EQ(error_of([] { merge({lay_out({{kTen, 0, 4, nullptr}}, 64), lay_out({{kTen, 6, 4, nullptr}}, 64)}, 64); }),
            "checkpoint: tensor 'w' (weight): elements [4, 6) are in no piece");
  EXPECT_EQ(error_of([] { merge({lay_out({{kTen, 0, 10, nullptr}}, 64), lay_out({{kTen, 6, 4, nullptr}}, 64)}, 64); }),
            "checkpoint: tensor 'w' (weight): elements [6, 10) are in pieces of rank 0 and rank 1");
}

TEST(Merge, NamesRanksThatDisagreeAboutAShape) {
  TensorInfo other = kTen;
  other.shape = {10};
  const std::string said =
      error_of([&] { merge({lay_out({{kTen, 0, 4, nullptr}}, 64), lay_out({{other, 4, 6, nullptr}}, 64)}, 64); });
  EXPECT_NE(said.find("float32 [2, 5] on rank 0, float32 [10] on rank 1"), std::string::npos) << said;
}

}  // namespace
}  // namespace ds
