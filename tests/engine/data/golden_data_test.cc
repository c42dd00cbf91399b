// A .bin/.idx that Megatron's own builder wrote is read as its description says.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "engine/data/index_file.h"
#include "engine/data/token_source.h"
#include "gtest/gtest.h"
#include "tests/engine/data/data_files.h"
#include "tests/support/places.h"
#include "topology/base/text.h"

namespace ds {
namespace {

TEST(GoldenData, TheIndexAndTheTokensAreAsDescribed) {
  const auto golden = test::shared_golden();
  if (!golden) GTEST_SKIP() << "no golden data beside the checkout";
  const auto folder = *golden / "data";
  const auto described = nlohmann::json::parse(read_file((folder / "documents.json").string()));
  const auto bin_bytes = static_cast<int64_t>(std::filesystem::file_size(folder / "licenses.bin"));
  const auto index = parse_index(read_file((folder / "licenses.idx").string()), bin_bytes, "licenses.idx");
  EXPECT_EQ(name_of(index.type), described.at("dtype"));
  EXPECT_EQ(index.sizes, described.at("sizes").get<std::vector<int32_t>>());
  EXPECT_EQ(index.documents, described.at("doc_idx").get<std::vector<int64_t>>());
  const auto tokens = testing::all_tokens(*open_tokens({(folder / "licenses").string()}, "bytes"));
  ASSERT_EQ(tokens.size(), described.at("total_tokens"));
  EXPECT_EQ(std::vector<int64_t>(tokens.begin(), tokens.begin() + 16), described.at("first_16"));
  EXPECT_EQ(std::vector<int64_t>(tokens.end() - 16, tokens.end()), described.at("last_16"));
}

}  // namespace
}  // namespace ds
