#include "engine/checkpoint/read_plan.h"

#include <gtest/gtest.h>

#include "tests/engine/checkpoint/support.h"

namespace ds {
namespace {

using test::error_of;

const TensorInfo kInfo{"w", "weight", DType::kFloat32, {100}};

Manifest stored_in(const std::vector<ManifestPiece>& pieces) {
  Manifest manifest;
  manifest.files = {{"f0", 4000, 64, {}}, {"f1", 4000, 64, {}}};
  manifest.tensors = {{kInfo, pieces}};
  return manifest;
}

// Every way to split 100 elements in two files against every wanted range, element by element.
TEST(ReadPlan, FindsEveryWantedElementWhereverItIs) {
  for (int64_t cut : {0, 1, 33, 99, 100}) {
    std::vector<ManifestPiece> pieces;
    if (cut > 0) pieces.push_back({1, 80, 0, cut});
    if (cut < 100) pieces.push_back({0, 400, cut, 100 - cut});
    const Manifest manifest = stored_in(pieces);
    for (int64_t from = 0; from <= 100; from += 3)
      for (int64_t to = from; to <= 100; to += 7) {
        std::vector<std::byte> memory(static_cast<size_t>((to - from) * 4));
        std::vector<int> seen(static_cast<size_t>(to - from));
        for (const FileCopy& copy : plan_read(manifest, {{kInfo, from, to - from, memory.data()}}))
          for (int64_t i = 0; i < copy.bytes / 4; ++i) {
            const int64_t place = copy.file_offset + i * 4;
            const int64_t element = copy.file == 1 ? (place - 80) / 4 : cut + (place - 400) / 4;
            EXPECT_EQ(copy.to + i * 4, memory.data() + (element - from) * 4);
            ++seen[static_cast<size_t>(element - from)];
          }
        for (int count : seen) ASSERT_EQ(count, 1) << cut << " " << from << " " << to;
      }
  }
}

TEST(ReadPlan, GoesThroughEachFileFrontToBack) {
  const Manifest manifest = stored_in({{0, 0, 0, 40}, {1, 0, 40, 20}, {0, 400, 60, 40}});
  std::vector<float> a(30), b(100);
  const auto copies = plan_read(manifest, {{kInfo, 70, 30, a.data()}, {kInfo, 0, 100, b.data()}});
  ASSERT_EQ(copies.size(), 4u);
  for (size_t i = 1; i < copies.size(); ++i)
    EXPECT_LE(std::tie(copies[i - 1].file, copies[i - 1].file_offset), std::tie(copies[i].file, copies[i].file_offset));
}

TEST(ReadPlan, NamesBothShapesWhenTheyDiffer) {
  TensorInfo wanted = kInfo;
  wanted.shape = {10, 10};
  EXPECT_EQ(error_of([&] { plan_read(stored_in({{0, 0, 0, 100}}), {{wanted, 0, 1, nullptr}}); }),
            "checkpoint: tensor 'w' (weight): float32 [10, 10] wanted, float32 [100] in the checkpoint");
  wanted = kInfo;
  wanted.dtype = DType::kBFloat16;
  EXPECT_NE(error_of([&] { plan_read(stored_in({{0, 0, 0, 100}}), {{wanted, 0, 1, nullptr}}); }).find("bfloat16 [100] wanted"),
            std::string::npos);
}

TEST(ReadPlan, NamesATensorThatIsNotThereAndARangeThatIsTooLong) {
  TensorInfo wanted = kInfo;
  wanted.kind = "exp_avg";
  EXPECT_EQ(error_of([&] { plan_read(stored_in({{0, 0, 0, 100}}), {{wanted, 0, 1, nullptr}}); }),
            "checkpoint: tensor 'w' (exp_avg): not in the checkpoint");
  EXPECT_NE(error_of([&] { plan_read(stored_in({{0, 0, 0, 100}}), {{kInfo, 99, 2, nullptr}}); }), "");
}

}  // namespace
}  // namespace ds
