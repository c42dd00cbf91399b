// Every option that mpirun lists is one of ours, or a word that we know to answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "launcher/options/mpirun_words.h"
#include "launcher/options/option_table.h"
#include "tests/mpirun/mpirun_run.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

struct ListedOption {
  std::vector<std::string> names;
  int num_values = 0;
};

// The options of a text like "-c|-np|--np <arg0>   Number of ..."; what explains them is indented further.
std::vector<ListedOption> listed_options(const std::string& help) {
  std::vector<ListedOption> options;
  for (const std::string& line : split(help, '\n')) {
    const size_t start = line.find_first_not_of(' ');
    if (start > 3 || line[start] != '-') continue;
    ListedOption option;
    for (const std::string& name : split(line.substr(start, line.find(' ', start) - start), '|'))
      option.names.push_back(name.substr(name.find_first_not_of('-')));
    for (size_t at = line.find("<arg"); at != std::string::npos; at = line.find("<arg", at + 1)) ++option.num_values;
    options.push_back(std::move(option));
  }
  return options;
}

std::optional<int> values_we_take(const std::string& name) {
  if (const OptionSpec* spec = find_option(name)) return spec->num_values();
  if (const MpirunWord* word = find_mpirun_word(name)) return word->num_values;
  return std::nullopt;
}

TEST(MpirunOptions, AreAllKnownWithTheirNumberOfValues) {
  if (const std::string reason = no_oracle(); !reason.empty()) GTEST_SKIP() << reason;
  const std::vector<ListedOption> options = listed_options(run_mpirun({"--help", "full"}).out);
  EXPECT_GT(options.size(), 80u) << "as 4.1 has them";
  for (const ListedOption& option : options)
    for (const std::string& name : option.names) {
      const std::optional<int> values = values_we_take(name);
      EXPECT_TRUE(values) << name << " is not known";
      const bool takes_a_topic = name == "h" || name == "help";
      EXPECT_EQ(takes_a_topic ? option.num_values : values.value_or(option.num_values), option.num_values) << name;
    }
}

}  // namespace
}  // namespace ds::testing
