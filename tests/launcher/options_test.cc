// What people type: options of mpirun's and DeepSpeed's users, and mistakes.
#include <gtest/gtest.h>

#include <random>

#include "launcher/options/option_scan.h"
#include "launcher/options/option_table.h"
#include "launcher/options/options.h"
#include "tests/topology/expect_error.h"
#include "tests/topology/random_text.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

Options parse(const std::string& line) { return parse_options(split(line, ' ')); }

std::string problem_of(const std::string& line) {
  try {
    parse(line);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.what();
  }
  return "";
}

TEST(Options, OneDashOrTwoMeanTheSame) {
  for (const char* line : {"-np 4 true", "--np 4 true", "-n 4 true", "--n 4 true", "-c 4 true", "--np=4 true"})
    EXPECT_EQ(parse(line).np, 4) << line;
}

TEST(Options, CaseMattersForNodesAndVersion) {
  EXPECT_EQ(parse("-N 2 true").npernode, 2);
  EXPECT_FALSE(parse("-N 2 true").np);
  EXPECT_EQ(parse("-V").command, Command::kVersion);
  EXPECT_TRUE(parse("-v true").verbose);
}

TEST(Options, EverythingAfterTheProgramBelongsToIt) {
  Options options = parse("-np 2 prog -np 7 --hostfile x -h");
  EXPECT_EQ(options.np, 2);
  EXPECT_EQ(options.programs[0].argv, (std::vector<std::string>{"prog", "-np", "7", "--hostfile", "x", "-h"}));
}

TEST(Options, ACfgIsATrainingJobWithOptionsAndKeysOnBothSides) {
  Options options = parse("--model.init random train.cfg --train.steps 200 -np 3 --data.shuffle=false");
  EXPECT_TRUE(options.training());
  EXPECT_EQ(options.config, "train.cfg");
  EXPECT_EQ(options.np, 3);
  ASSERT_EQ(options.overrides.size(), 3u);
  EXPECT_EQ(options.overrides[1], (std::pair<std::string, std::string>("train.steps", "200")));
  EXPECT_EQ(options.overrides[2], (std::pair<std::string, std::string>("data.shuffle", "false")));
}

TEST(Options, ColonSeparatesProgramsWithTheirOwnOptions) {
  Options options = parse("-np 1 -x A=1 a : -np 2 -wdir /tmp b -q");
  ASSERT_EQ(options.programs.size(), 2u);
  EXPECT_EQ(options.programs[0].np, 1);
  EXPECT_EQ(options.programs[1].np, 2);
  EXPECT_EQ(options.programs[1].wdir, "/tmp");
  EXPECT_EQ(options.programs[0].exports, std::vector<std::string>{"A=1"});
  EXPECT_TRUE(options.programs[1].exports.empty());
  EXPECT_EQ(options.programs[1].argv, (std::vector<std::string>{"b", "-q"}));
}

TEST(Options, EachProgramMayHaveHostsOfItsOwn) {
  const Options options = parse("-np 1 -H x:1 -H y a : -np 2 --hostfile f b : -np 1 c");
  EXPECT_EQ(options.host_list, "x:1,y");
  EXPECT_EQ(options.programs[0].host_list, "x:1,y");
  EXPECT_EQ(options.programs[1].host_list + options.programs[1].hostfile, "f");
  EXPECT_EQ(options.programs[2].host_list + options.programs[2].hostfile, "");
  EXPECT_TRUE(options.programs_have_hosts());
  EXPECT_FALSE(parse("-np 1 -H x a : -np 1 b").programs_have_hosts());
}

TEST(Options, ProgramsAfterAColonNeedTheirNumber) {
  EXPECT_NE(problem_of("-np 1 a : b").find("-np"), std::string::npos);
  EXPECT_NE(problem_of("-np 1 a : -np 1 --nolocal b").find("before the first program"), std::string::npos);
}

TEST(Options, UnknownOptionsNameTheNearestAndAreNeverGuessed) {
  EXPECT_NE(problem_of("--hostfil x true").find("--hostfile"), std::string::npos);
  EXPECT_NE(problem_of("-np4 true").find("unknown option -np4"), std::string::npos);
  EXPECT_EQ(problem_of("-k true").find("nearest"), std::string::npos) << "nothing is near to one letter";
}

TEST(Options, AllProblemsAreToldAtOnce) {
  std::string text = problem_of("-np four --timeout -1 --progress fancy --zap");
  for (const char* word : {"four", "-1", "fancy", "--zap", "no program"})
    EXPECT_NE(text.find(word), std::string::npos) << word << " in " << text;
}

TEST(Options, NumbersHaveBounds) {
  expect_words(problem_of("-np -1 true"), {"-np=-1", "a whole number from 0"});
  expect_words(problem_of("--npernode 0 true"), {"--npernode=0", "from 1"});
  expect_words(problem_of("-np 99999999999 true"), {"-np=99999999999"});
  expect_words(problem_of("-x =3 true"), {"-x==3", "NAME or NAME=VALUE"});
  expect_words(problem_of("--output tag true"), {"--output=tag", "a folder (./tag for one of this name)", "--tag-output"});
  expect_words(problem_of("--output dir=x:nocopy true"), {"--output-filename"});
  expect_words(problem_of("--timeout 99999999999999 true"), {"--timeout=99999999999999", "seconds, 0 to 1000000000"});
}

TEST(Options, AnOptionIsNoValueOfTheOneBeforeIt) {
  expect_words(problem_of("-np -np 1 true"), {"option -np needs a value", "-np is an option"});
  expect_words(problem_of("--wdir --tag-output true"), {"option --wdir needs a value", "--tag-output is an option"});
  expect_words(problem_of("--mca a -np 1 true"), {"option --mca needs a value", "-np is an option"});
  EXPECT_EQ(parse_options({"--wdir=-np", "true"}).wdir, "-np");
  EXPECT_EQ(parse_options({"--mca", "plm_rsh_args", "-x", "true"}).programs[0].argv, std::vector<std::string>{"true"});
}

TEST(Options, OneMistakeIsOneLine) {
  EXPECT_EQ(problem_of("-np x true"), "option -np=x: must be a whole number from 0 to 1048576");
}

TEST(Options, AnEmptyValueIsAShellVariableThatIsNotSet) {
  for (const std::string name : {"hostfile", "default-hostfile", "host", "include", "exclude", "rankfile", "topology"})
    for (const std::vector<std::string>& words : {std::vector<std::string>{"--" + name, "", "true"}, {"--" + name + "=", "true"}})
      expect_words(usage_error_of([&] { parse_options(words); }), {"option --" + name, "its value is empty"});
}

TEST(Options, FlagsOfMpirunAreUnderstood) {
  EXPECT_EQ(parse("--pernode true").npernode, 1);
  EXPECT_FALSE(parse("--oversubscribe --nooversubscribe true").oversubscribe);
  EXPECT_FALSE(parse("--nooversubscribe true").oversubscribe);
  EXPECT_TRUE(parse("--allow-run-as-root --use-hwthread-cpus true").threads_are_cpus);
  EXPECT_EQ(parse("--bind-to package true").bind_to, "package");
  EXPECT_EQ(parse("--bind-to CORE true").bind_to, "core");
  EXPECT_EQ(parse("--default-hostfile d --hostfile h true").hostfile, "h");
  EXPECT_EQ(parse("--default-hostfile d --hostfile h true").default_hostfile, "d");
}

TEST(Options, ARankfileSaysWhereRanksGoSoNolocalCannot) {
  expect_words(problem_of("--nolocal --rankfile f true"), {"--nolocal", "rankfile"});
}

TEST(Options, AFilterSaysWhichHostsSoTheyAreNotCounted) {
  for (const char* count : {"--num_nodes", "--num_gpus"})
    for (const char* filter : {"--include", "--exclude"})
      expect_words(problem_of(std::string(filter) + " a " + count + " 1 true"), {std::string("option ") + count + "=1", "left out", filter});
}

TEST(Options, OptionsOfDeepSpeedsLauncherMeanWhatTheyMeanThere) {
  const Options options = parse("--elastic_training --min_elastic_nodes 2 --max_elastic_nodes 4 --master_addr 10.9.8.7 --master_port 29501 "
                                "--job-name night true");
  EXPECT_TRUE(options.elastic);
  EXPECT_EQ(options.min_elastic_nodes, 2);
  EXPECT_EQ(options.max_elastic_nodes, 4);
  EXPECT_EQ(options.master_addr, "10.9.8.7");
  EXPECT_EQ(options.master_port, 29501);
  EXPECT_EQ(options.job_name, "night");
}

TEST(Options, TheLastOfARepeatedValueCountsWithANote) {
  Options options = parse("-np 2 -np 4 -np 4 --tag-output --tag-output true");
  EXPECT_EQ(options.np, 4);
  ASSERT_EQ(options.notes.size(), 1u);
  EXPECT_NE(options.notes[0].find("-np"), std::string::npos);
}

TEST(Options, ExportsAndParametersWithDifferentNamesAddUp) {
  Options options = parse("-x A=1 -x B -x A=2 --mca btl self --mca pml cm --mca pml ob1 true");
  EXPECT_EQ(options.exports, (std::vector<std::string>{"B", "A=2"}));
  EXPECT_EQ(options.mca, (std::vector<std::pair<std::string, std::string>>{{"btl", "self"}, {"pml", "ob1"}}));
  EXPECT_EQ(options.notes.size(), 2u);
}

TEST(Options, NamesInTheTableAreUnique) {
  std::vector<std::string> seen;
  for (const OptionSpec& spec : option_table())
    for (const std::string& name : spec.names) {
      EXPECT_EQ(std::count(seen.begin(), seen.end(), name), 0) << name;
      seen.push_back(name);
    }
}

TEST(Options, HelpShowsEveryOptionAndAnExample) {
  std::string help = help_text();
  for (const OptionSpec& spec : option_table())
    EXPECT_NE(help.find(with_dashes(spec.names[0])), std::string::npos) << spec.names[0];
  EXPECT_NE(help.find("--hostfile hosts train.cfg"), std::string::npos);
}

TEST(Options, AnyWordsAreReadOrRefused) {
  std::mt19937 random(13);
  std::vector<std::string> words{":", "true", "a.cfg", "--train.steps", "", "-", "--", "--=", "-=x", "4", "h", "--zap", "\xff"};
  for (const OptionSpec& spec : option_table())
    if (spec.names[0] != "app") words.push_back("--" + spec.names[0]);  // that one reads a file
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::string> line;
    for (size_t n = random() % 8; n > 0; --n) line.push_back(words[random() % words.size()]);
    try {
      parse_options(line);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage) << join(line, " ");
    }
  }
}

TEST(Options, ALaunchSectionHoldsUnlessTheCommandLineAnswersTheSameQuestion) {
  std::vector<std::string> section = {"--hostfile", "f", "--np", "2", "--exclude", "a", "--x", "A=1", "--x", "B=1"};
  Options alone = parse_options({"t.cfg"}, section);
  EXPECT_EQ(alone.hostfile, "f");
  EXPECT_EQ(alone.np, 2);
  Options given = parse_options({"-H", "h", "--include", "h", "-np", "1", "-x", "C=1", "t.cfg"}, section);
  EXPECT_EQ(given.hostfile + given.exclude, "");
  EXPECT_EQ(given.np, 1);
  EXPECT_EQ(given.exports, (std::vector<std::string>{"A=1", "B=1", "C=1"}));
  EXPECT_TRUE(given.notes.empty());
}

TEST(Options, EverySubcommandHasHelp) {
  for (const char* words : {"status --help", "logs -h", "agents --help", "agents start -h"})
    EXPECT_EQ(parse(words).command, Command::kHelp) << words;
  EXPECT_NE(help_text().find("--idle"), std::string::npos);
}

TEST(Options, SubcommandsHaveTheirOwnOptions) {
  EXPECT_EQ(parse("status").command, Command::kStatus);
  EXPECT_TRUE(parse("stop runs/a --checkpoint").checkpoint);
  EXPECT_EQ(parse("logs job-1 --rank 3 -f").rank, 3);
  for (const char* rank : {"--rank=3", "-rank 3", "-rank=3"}) EXPECT_EQ(parse(std::string("logs job-1 ") + rank).rank, 3) << rank;
  EXPECT_TRUE(parse("status -json").json);
  EXPECT_EQ(parse("stop a=b").job, "a=b");
  EXPECT_NE(problem_of("logs --rank=x").find("--rank=x"), std::string::npos);
  EXPECT_NE(problem_of("status --json=1").find("has no value"), std::string::npos);
  EXPECT_NE(problem_of("stop a b").find("one job"), std::string::npos);
  EXPECT_NE(problem_of("status --checkpoint").find("--checkpoint"), std::string::npos);
}

}  // namespace
}  // namespace ds
