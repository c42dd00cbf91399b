#include "engine/tools/command.h"

#include <gtest/gtest.h>

#include <sstream>

#include "engine/tools/commands.h"
#include "tests/engine/checkpoint/support.h"
#include "tests/engine/tools/run_tool.h"

namespace ds {
namespace {

using test::error_of;
using test::run_tool;
using Words = std::vector<std::string>;

const std::vector<OptionRule> kRules{{"--json"}, {"--keep", true}};

TEST(Arguments, TakeOptionsAndPositionalsInAnyOrder) {
  const Arguments a({"x", "--keep", "3", "--json", "y"}, kRules, 1, 2);
  EXPECT_EQ(a.positional(), (Words{"x", "y"}));
  EXPECT_TRUE(a.has("--json"));
  EXPECT_EQ(a.number("--keep", 0, 1), 3);
  EXPECT_EQ(Arguments({"--keep=4"}, kRules, 0, 0).number("--keep", 0, 1), 4);
  EXPECT_EQ(Arguments({}, kRules, 0, 0).number("--keep", 7, 1), 7);
  EXPECT_EQ(Arguments({"--", "--json"}, kRules, 1, 1).positional(), Words{"--json"});
  EXPECT_EQ(Arguments({"-"}, kRules, 1, 1).positional(), Words{"-"});
}

TEST(Arguments, NameAllProblemsAndTheNearestOption) {
  const std::string said = error_of([] { Arguments({"--jsn", "--keep"}, kRules, 1, 1); });
  EXPECT_NE(said.find("unknown option --jsn, nearest is --json"), std::string::npos) << said;
  EXPECT_NE(said.find("--keep needs a value"), std::string::npos) << said;
  EXPECT_NE(said.find("too few arguments"), std::string::npos) << said;
  EXPECT_NE(error_of([] { Arguments({"a", "b"}, kRules, 0, 1); }).find("too many arguments: b"), std::string::npos);
  EXPECT_NE(error_of([] { Arguments({"--json=1"}, kRules, 0, 0); }).find("takes no value"), std::string::npos);
  for (const char* value : {"x", "0", "1.5", ""})
    EXPECT_NE(error_of([&] { Arguments({"--keep", value}, kRules, 0, 0).number("--keep", 0, 1); }), "") << value;
}

TEST(Dstool, ListsItsCommandsAndEachHasHelpWithAnExample) {
  const auto overview = run_tool({"--help"});
  EXPECT_EQ(overview.exit_code, kToolOk);
  for (const Command& command : dstool_commands()) {
    EXPECT_NE(overview.out.find("\n  " + command.name), std::string::npos) << command.name;
    if (command.name == "checkpoint") continue;
    const auto help = run_tool({command.name, "--help"});
    EXPECT_EQ(help.exit_code, kToolOk);
    EXPECT_NE(help.out.find("Usage: dstool " + command.name), std::string::npos) << command.name;
    EXPECT_NE(help.out.find("Example: dstool " + command.name), std::string::npos) << command.name;
  }
  for (const char* name : {"list", "show", "verify", "diff", "prune"})
    EXPECT_NE(run_tool({"checkpoint", name, "--help"}).out.find("Example: dstool checkpoint"), std::string::npos) << name;
}

TEST(Dstool, NamesTheNearestCommand) {
  EXPECT_NE(error_of([] { run_tool({"chekpoint"}); }).find("nearest is 'checkpoint'"), std::string::npos);
  EXPECT_NE(error_of([] { run_tool({"checkpoint", "lst"}); }).find("nearest is 'list'"), std::string::npos);
  EXPECT_EQ(run_tool({}).exit_code, kToolUsage);
}

}  // namespace
}  // namespace ds
