// Options of other launchers: each is said in our words, accepted, or refused with what to write instead.
#include "launcher/options/mpirun_words.h"

#include <gtest/gtest.h>

#include <set>

#include "launcher/options/option_scan.h"
#include "launcher/options/option_table.h"
#include "launcher/options/options.h"
#include "tests/topology/expect_error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using Words = std::vector<std::string>;

const std::string kValue = "2";

// A command line with this option, before a program.
Words command(const MpirunWord& word, const std::string& name) {
  Words words = {"--" + name};
  words.insert(words.end(), static_cast<size_t>(word.num_values), kValue);
  words.push_back("true");
  return words;
}

struct Scanned {
  ScannedCommand command;
  Words problems;
};

Scanned scan(const Words& words) {
  Scanned result;
  result.command = scan_command(words, result.problems);
  return result;
}

std::string with_value(const std::string& pattern) {
  const size_t gap = pattern.find('%');
  return gap == std::string::npos ? pattern : pattern.substr(0, gap) + kValue + pattern.substr(gap + 1);
}

TEST(MpirunWords, AreNamesThatOurTableDoesNotHave) {
  std::set<std::string> seen;
  for (const MpirunWord& word : mpirun_words())
    for (const std::string& name : word.names) {
      EXPECT_EQ(find_option(name), nullptr) << name;
      EXPECT_TRUE(seen.insert(name).second) << name;
      EXPECT_EQ(find_mpirun_word(name), &word);
    }
  EXPECT_EQ(find_mpirun_word("zap"), nullptr);
}

TEST(MpirunWords, HaveOneAnswerEach) {
  for (const MpirunWord& word : mpirun_words())
    EXPECT_TRUE(word.meaning.empty() || word.reason.empty()) << word.names[0];
}

TEST(MpirunWords, ARewrittenOneIsAnOptionOfOursWithItsValue) {
  for (const MpirunWord& word : mpirun_words()) {
    if (word.meaning.empty()) continue;
    const OptionSpec* spec = find_option(word.meaning[0]);
    ASSERT_NE(spec, nullptr) << word.meaning[0];
    EXPECT_EQ(spec->answer, OptionAnswer::kSupported) << word.meaning[0];
    EXPECT_EQ(spec->num_values() + 1, static_cast<int>(word.meaning.size())) << word.names[0];
    for (const std::string& name : word.names) {
      const Scanned scanned = scan(command(word, name));
      EXPECT_EQ(scanned.problems, Words{}) << name;
      ASSERT_EQ(scanned.command.options.size(), 1u) << name;
      EXPECT_EQ(scanned.command.options[0].spec, spec) << name;
      const Words values = word.meaning.size() > 1 ? Words{with_value(word.meaning[1])} : Words{};
      EXPECT_EQ(scanned.command.options[0].values, values) << name;
      EXPECT_NO_THROW(parse_options(command(word, name))) << name;
    }
  }
}

TEST(MpirunWords, AnAcceptedOneChangesNothing) {
  for (const MpirunWord& word : mpirun_words()) {
    if (!word.meaning.empty() || !word.reason.empty()) continue;
    for (const std::string& name : word.names) {
      const Scanned scanned = scan(command(word, name));
      EXPECT_EQ(scanned.problems, Words{}) << name;
      EXPECT_TRUE(scanned.command.options.empty()) << name;
      EXPECT_EQ(scanned.command.programs, std::vector<Words>{{"true"}}) << name;
    }
  }
}

TEST(MpirunWords, ARefusedOneSaysWhatToDoAndTakesItsValuesAlong) {
  for (const MpirunWord& word : mpirun_words()) {
    if (word.reason.empty()) continue;
    for (const std::string& name : word.names) {
      expect_words(usage_error_of([&] { parse_options(command(word, name)); }), {"option --" + name, word.reason});
      const Scanned scanned = scan(command(word, name));
      EXPECT_EQ(scanned.problems.size(), 1u) << name;
      EXPECT_EQ(scanned.command.programs, std::vector<Words>{{"true"}}) << name;
    }
  }
}

TEST(MpirunWords, MeanWhatTheyMeantThere) {
  EXPECT_EQ(parse_options({"--npersocket", "2", "true"}).map_by, "ppr:2:socket");
  EXPECT_EQ(parse_options({"-npersocket=2", "true"}).map_by, "ppr:2:socket");
  EXPECT_EQ(parse_options({"-bynode", "true"}).map_by, "node");
  EXPECT_EQ(parse_options({"--bind-to-socket", "true"}).bind_to, "socket");
  EXPECT_EQ(parse_options({"--cpus-per-proc", "2", "true"}).cpus_per_rank, 2);
  EXPECT_TRUE(parse_options({"--do-not-launch", "true"}).dry_run);
  EXPECT_EQ(parse_options({"-iface", "eth0", "true"}).interface, "eth0");
  EXPECT_TRUE(parse_options({"-l", "true"}).tag_output);
  EXPECT_EQ(parse_options({"--num_accelerators", "2", "true"}).num_gpus, 2);
}

TEST(MpirunWords, OfDeepSpeedAreAnsweredToo) {
  expect_words(usage_error_of([] { parse_options({"--launcher", "pdsh", "--ssh_port", "2222", "--save_pid", "--module", "a.b"}); }),
               {"--launcher", "--ssh COMMAND", "--ssh_port", "port=N", "--save_pid", "--report-pid", "--module", "python -m"});
  expect_words(usage_error_of([] { parse_options({"--log_level", "info", "a"}); }), {"--log_level", "--verbose"});
  EXPECT_EQ(parse_options({"--no_local_rank", "--no_python", "./a"}).programs[0].argv, Words{"./a"});
}

TEST(MpirunWords, FollowTheRulesOfOtherOptions) {
  EXPECT_EQ(scan({"--npersocket"}).problems, Words{"option --npersocket needs a value"});
  EXPECT_EQ(scan({"--ppn", "-np", "4", "true"}).problems, Words{"option --ppn needs a value; -np is an option"});
  EXPECT_EQ(scan({"--bynode=3", "true"}).problems, Words{"option --bynode=3 takes no value"});
  const Words late = {"-np", "1", "a", ":", "-np", "1", "--bynode", "b"};
  expect_words(usage_error_of([&] { parse_options(late); }), {"--bynode", "before the first program"});
  EXPECT_EQ(parse_options({"true", "--bynode"}).programs[0].argv, (Words{"true", "--bynode"})) << "of the program";
}

}  // namespace
}  // namespace ds
