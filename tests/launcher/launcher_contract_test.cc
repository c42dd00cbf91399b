// Every line of tests/launcher_contract.md names tests, and they exist.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/support/places.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using Words = std::vector<std::string>;

// "Suite.Name" of every TEST, TEST_F and TEST_P.
std::set<std::string> names_of_tests(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cc") continue;
    for (const std::string& line : split(read_file(entry.path().string()), '\n')) {
      const size_t open = line.find('('), comma = line.find(", "), close = line.find(')');
      if (line.starts_with("TEST") && open < comma && comma < close && close != std::string::npos)
        names.insert(line.substr(open + 1, comma - open - 1) + "." + line.substr(comma + 2, close - comma - 2));
    }
  }
  return names;
}

Words in_backticks(const std::string& text) {
  const Words parts = split(text, '`');
  Words found;
  for (size_t i = 1; i < parts.size(); i += 2) found.push_back(parts[i]);
  return found;
}

TEST(LauncherContract, EveryLineNamesTestsThatExist) {
  const auto folder = test::source_folder() / "tests";
  const std::set<std::string> known = names_of_tests(folder);
  ASSERT_TRUE(known.contains("LauncherContract.EveryLineNamesTestsThatExist"));
  int lines = 0;
  for (const std::string& line : split(read_file((folder / "launcher_contract.md").string()), '\n')) {
    if (!line.starts_with("| ") || line == "| comes in | dslaunch | tests |") continue;
    ++lines;
    const Words cells = split(line, '|');
    ASSERT_EQ(cells.size(), 5u) << line;
    const Words named = in_backticks(cells[3]);
    EXPECT_FALSE(named.empty()) << line;
    for (const std::string& name : named) EXPECT_TRUE(known.contains(name)) << name << " in: " << line;
  }
  EXPECT_GT(lines, 100);
}

}  // namespace
}  // namespace ds
