// Option by option: the same words to mpirun and to dslaunch on this machine. Output, exit code and binding are equal, or
// docs/mpirun.md says where they differ and why.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

#include "tests/mpirun/mpirun_run.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct Row {
  std::string name;
  Words words;              // options and program; {dir} is a folder with the files of this test, {mpi} the MPI program
  std::string input = {};   // standard input
  std::string differs = {};  // the row of docs/mpirun.md that explains the difference; empty: they are equal
  int our_code = 0;  // where they differ

  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }
};

const Words kShowRank = {"sh", "-c", "echo $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE on $OMPI_COMM_WORLD_LOCAL_RANK"};
const Words kShowCpus = {"sh", "-c", "echo $OMPI_COMM_WORLD_RANK $(grep Cpus_allowed_list /proc/self/status)"};

Words with(Words options, const Words& program) {
  options.insert(options.end(), program.begin(), program.end());
  return options;
}

Words shell(Words options, const std::string& script) { return with(std::move(options), {"sh", "-c", script}); }

const Words kTwo = {"-H", "localhost:2", "-np", "2"};

Words two(Words options, const Words& program) { return with(with(kTwo, options), program); }

std::vector<Row> rows() {
  return {
      // Ranks and hosts.
      {"np", with({"-np", "2"}, kShowRank)},
      {"n", with({"-n", "2"}, kShowRank)},
      {"c", with({"-c", "2"}, kShowRank)},
      {"LongNp", with({"--np", "2"}, kShowRank)},
      {"NpZero", {"-np", "0", "false"}, "", "-np 0", 0},
      {"NpLeftOut", with({"-H", "localhost:2"}, kShowRank)},
      {"NpNegative", {"-np", "-1", "true"}, "", "usage errors", 2},
      {"NpWord", {"-np", "two", "true"}, "", "usage errors", 2},
      {"NoProgram", {"-np", "2"}, "", "usage errors", 2},
      {"UnknownOption", {"--nosuchoption", "true"}, "", "usage errors", 2},
      {"host", with({"--host", "localhost:2"}, kShowRank)},
      {"HostRepeated", with({"-H", "localhost,localhost"}, kShowRank)},
      {"HostRepeatedThrice", with({"-H", "localhost,localhost,localhost", "--bind-to", "none"}, kShowRank)},
      {"HostTwice", with({"-H", "localhost:1", "-H", "localhost:1"}, kShowRank)},
      {"HostOfAHostfile", with({"--hostfile", "{dir}/hosts", "-H", "localhost"}, kShowRank)},
      {"HostPlain", with({"-H", "localhost"}, kShowRank)},
      {"hostfile", with({"--hostfile", "{dir}/hosts"}, kShowRank)},
      {"machinefile", with({"-machinefile", "{dir}/hosts"}, kShowRank)},
      {"DefaultHostfile", with({"--default-hostfile", "{dir}/hosts"}, kShowRank)},
      {"HostfileMissing", {"--hostfile", "{dir}/none", "true"}, "", "usage errors", 2},
      {"HostfileEmpty", {"--hostfile", "{dir}/empty", "true"}, "", "usage errors", 2},
      {"HostfileBadLine", {"--hostfile", "{dir}/bad", "echo", "x"}, "", "hostfile", 2},
      {"N", with({"-H", "localhost:2", "-N", "1"}, kShowRank)},
      {"npernode", with({"-H", "localhost:2", "-npernode", "2"}, kShowRank)},
      {"pernode", with({"-H", "localhost:2", "-pernode"}, kShowRank)},
      {"NBeyondNp", with({"-H", "localhost:2", "-N", "3", "-np", "2"}, kShowRank)},
      {"NBeyondSlots", {"-H", "localhost:2", "-N", "4", "-np", "3", "true"}, "", "usage errors", 2},
      {"NotEnoughSlots", {"-H", "localhost:1", "-np", "2", "true"}, "", "usage errors", 2},
      {"oversubscribe", with({"-H", "localhost:1", "-np", "3", "--oversubscribe"}, kShowRank)},
      {"nooversubscribe", with({"-H", "localhost:2", "-np", "2", "--nooversubscribe"}, kShowRank)},
      {"nolocal", {"-H", "localhost:2", "-nolocal", "true"}, "", "usage errors", 2},
      {"Mpmd", {"-H", "localhost:2", "-np", "1", "echo", "a", ":", "-np", "1", "echo", "b"}},
      {"MpmdVariables", {"-H", "localhost:2", "-np", "1", "-x", "V=a", "sh", "-c", "echo $V", ":", "-np", "1", "-x", "W=b", "sh", "-c", "echo $W"}},
      {"MpmdHosts", with({"--hostfile", "{dir}/hosts", "-np", "1", "echo", "a", ":", "--hostfile", "{dir}/hosts", "-np", "1"}, kShowRank)},
      {"MpmdHostOfTheSecond", with({"-np", "1", "echo", "a", ":", "-H", "localhost:2", "-np", "1"}, kShowRank)},
      {"app", {"-H", "localhost:2", "--app", "{dir}/app"}},
      {"AppQuotes", {"-H", "localhost:2", "--app", "{dir}/quotes"}, "", "--app", 0},
      {"AppAndProgram", {"--app", "{dir}/one", "hostname"}, "", "--app", 2},
      {"AppEmpty", {"--app", "{dir}/empty", "hostname"}, "", "usage errors", 2},
      {"AllowRunAsRoot", with({"--allow-run-as-root", "-np", "1"}, kShowRank)},

      // Placement and binding.
      {"BindNone", two({"--bind-to", "none"}, kShowCpus)},
      {"BindCore", two({"--bind-to", "core"}, kShowCpus)},
      {"BindSocket", two({"--bind-to", "socket"}, kShowCpus)},
      {"BindDefaultOne", with({"-np", "1"}, kShowCpus)},
      {"BindDefaultTwo", two({}, kShowCpus)},
      {"BindOversubscribed", with({"-H", "localhost:1", "-np", "2", "--oversubscribe"}, kShowCpus)},
      {"BindTooSmall", {"-H", "localhost:9", "-np", "9", "--bind-to", "core", "true"}, "", "usage errors", 2},
      {"MapByCore", two({"--map-by", "core"}, kShowCpus)},
      {"MapByNode", two({"--map-by", "node"}, kShowCpus)},
      {"MapByPpr", with({"-H", "localhost:2", "--map-by", "ppr:2:node"}, kShowCpus)},
      {"MapByPprBeyondNp", with({"-H", "localhost:2", "--map-by", "ppr:4:node", "-np", "2"}, kShowRank)},
      {"MapByNonsense", two({"--map-by", "nonsense"}, {"true"}), "", "usage errors", 2},
      {"MapByModifierAlone", with({"-H", "localhost:1", "-np", "2", "--map-by", ":OVERSUBSCRIBE"}, kShowCpus)},
      {"MapByModifiers", with({"-H", "localhost:1", "-np", "1", "--map-by", "node:oversubscribe,pe=1"}, kShowRank)},
      {"BindToCapitals", two({"--bind-to", "CORE"}, kShowCpus)},
      {"MapByPe", with({"-H", "localhost:2", "-np", "1", "--map-by", "slot:PE=2"}, kShowCpus)},
      {"RankByNode", two({"--rank-by", "node"}, kShowRank)},
      {"bycore", two({"-bycore"}, kShowCpus)},
      {"bynode", two({"-bynode"}, kShowCpus)},
      {"byslot", two({"-byslot"}, kShowCpus)},
      {"BindToCoreOld", two({"-bind-to-core"}, kShowCpus)},
      {"CpusPerProc", with({"-H", "localhost:2", "-np", "1", "--cpus-per-proc", "2"}, kShowCpus)},
      {"UseHwthreadCpus", two({"--use-hwthread-cpus"}, kShowCpus)},
      {"CpuSet", with({"-H", "localhost:1", "-np", "1", "--cpu-set", "1"}, kShowCpus)},
      {"CpuList", with({"-H", "localhost:1", "-np", "1", "--cpu-list", "1"}, kShowCpus)},
      {"rankfile", with({"-np", "2", "--rankfile", "{dir}/ranks"}, kShowCpus)},
      {"RankfileShort", with({"-np", "2", "-rf", "{dir}/ranks"}, kShowCpus)},
      {"RankfileOfMore", with({"-np", "1", "--rankfile", "{dir}/ranks"}, kShowCpus)},
      {"RankfileOfFewer", {"-np", "3", "--rankfile", "{dir}/ranks", "true"}, "", "usage errors", 2},
      {"DoNotLaunch", two({"--do-not-launch"}, {"false"}), "", "--do-not-launch", 0},
      {"DisplayMap", two({"--display-map"}, {"true"}), "", "--display-map", 0},
      {"DisplayAllocation", two({"--display-allocation"}, {"true"}), "", "--display-map", 0},

      // Environment.
      {"ExportFromHere", with({"-np", "1", "-x", "DSLAUNCH_TEST_X"}, {"sh", "-c", "echo $DSLAUNCH_TEST_X"})},
      {"ExportValue", with({"-np", "1", "-x", "V=a b=c;|&()\"'$HOME"}, {"printenv", "V"})},
      {"ExportLines", with({"-np", "1", "-x", "V=one\ntwo"}, {"printenv", "V"})},
      {"ExportEmpty", with({"-np", "1", "-x", "V="}, {"sh", "-c", "echo ${V-unset}"})},
      {"ExportUnset", with({"-np", "1", "-x", "DSLAUNCH_TEST_NOT_SET"}, {"echo", "goes on"})},
      {"Arguments", {"-np", "1", "printf", "%s\n", "a b", "c'd", "*", "$HOME", "x\\y"}},
      {"wdir", with({"-np", "1", "--wdir", "/usr"}, {"pwd"})},
      {"wd", with({"-np", "1", "-wd", "/usr"}, {"pwd"})},
      {"WdirMissing", with({"-np", "1", "--wdir", "{dir}/none"}, {"true"}), "", "exit codes of start failures", 2},
      {"mca", with({"-np", "1", "--mca", "btl_base_verbose", "7"}, {"printenv", "OMPI_MCA_btl_base_verbose"})},
      {"McaBinding", two({"--mca", "hwloc_base_binding_policy", "none"}, kShowCpus)},
      {"McaOversubscribe", with({"-H", "localhost:1", "-np", "3", "--mca", "rmaps_base_oversubscribe", "1"}, kShowRank)},
      {"McaMapping", with({"-H", "localhost:2", "--mca", "rmaps_base_mapping_policy", "ppr:1:node"}, kShowRank)},
      {"gmca", with({"-np", "1", "-gmca", "btl_base_verbose", "7"}, {"printenv", "OMPI_MCA_btl_base_verbose"})},
      {"McaTwice", with({"-np", "1", "--mca", "btl_base_verbose", "7", "--mca", "btl_base_verbose", "8"}, {"true"}), "", "--mca", 0},
      {"tune", with({"-np", "1", "--tune", "{dir}/tune"}, {"printenv", "V"})},
      {"PlaceVariables", shell(kTwo, "echo $(env | grep ^OMPI_COMM_WORLD_ | sort)")},

      // Output and input.
      {"OutputOfManyLines", shell({"-np", "1"}, "seq 1 20000")},
      {"StderrStaysApart", shell({"-np", "1"}, "echo out; echo err >&2")},
      {"LastLineOpen", shell({"-np", "1"}, "printf abc")},
      {"TagOutput", two({"--tag-output"}, {"sh", "-c", "echo x; echo y"})},
      {"MergeStderr", shell({"-np", "1", "--merge-stderr-to-stdout"}, "echo e >&2"), "", "--merge-stderr-to-stdout", 0},
      {"StdinToRankZero", shell(kTwo, "echo $OMPI_COMM_WORLD_RANK $(wc -c)"), "hello\n"},
      {"StdinToRankOne", two({"--stdin", "1"}, {"sh", "-c", "echo $OMPI_COMM_WORLD_RANK $(wc -c)"}), "hello\n"},
      {"StdinNone", two({"--stdin", "none"}, {"sh", "-c", "echo $OMPI_COMM_WORLD_RANK $(wc -c)"}), "hello\n"},
      {"OutputFilename", shell({"-np", "2", "-H", "localhost:2", "--output-filename", "{dir}/out"}, "echo x$OMPI_COMM_WORLD_RANK")},

      // Ends.
      {"ExitThree", shell({"-np", "1"}, "exit 3")},
      {"ExitThreeOfTwo", shell(kTwo, "[ $OMPI_COMM_WORLD_RANK = 1 ] && exit 3; exec sleep 60")},
      {"Exit255", shell({"-np", "1"}, "exit 255")},
      {"Killed", shell({"-np", "1"}, "kill -KILL $$")},
      {"Terminated", shell({"-np", "1"}, "kill -TERM $$")},
      {"Segfault", shell({"-np", "1"}, "kill -SEGV $$")},
      {"ProgramMissing", {"-np", "1", "{dir}/none"}, "", "exit codes of start failures", 127},
      {"ProgramNotExecutable", {"-np", "1", "{dir}/hosts"}, "", "exit codes of start failures", 126},
      {"ProgramIsAFolder", {"-np", "1", "{dir}"}, "", "exit codes of start failures", 126},
      {"timeout", {"-np", "1", "--timeout", "1", "sleep", "60"}},
      {"TimeoutZero", {"-np", "1", "--timeout", "0", "echo", "x"}},
      {"MpiSum", two({}, {"{mpi}", "sum"})},
      {"MpiAbort", two({}, {"{mpi}", "abort", "5"})},
      {"MpiAbortAbove255", two({}, {"{mpi}", "abort", "300"})},
      {"MpiAbortZero", two({}, {"{mpi}", "abort", "0"}), "", "MPI_Abort with 0, 256, ...", 1},
      {"BindToCpuList", {"-np", "1", "--cpu-list", "1", "--bind-to", "cpu-list:ordered", "true"}, "", "usage errors", 2},
      {"MpiNoFinalize", two({}, {"{mpi}", "no-finalize"})},
      {"MpiNoInit", two({}, {"{mpi}", "no-init"}), "", "ranks that never wire up", 1},
  };
}

class OptionTable : public ::testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    if (const std::string reason = no_oracle(); !reason.empty()) GTEST_SKIP() << reason;
    char pattern[] = "/tmp/dslaunch-mpirun-XXXXXX";
    folder_ = ::mkdtemp(pattern);
    write("hosts", "localhost slots=2\n");
    write("empty", "# nobody\n");
    write("bad", "localhost slots=2\n%bad\n");
    write("ranks", "rank 0=localhost slot=1\nrank 1=localhost slot=0\n");
    write("app", "-np 1 echo a\n-np 1 echo b c\n");
    write("one", "-np 1 echo a\n");
    write("quotes", "-np 1 echo 'b c'\n");
    write("tune", "-x V=5 -mca btl_base_verbose 7\n");
  }
  void TearDown() override {
    std::error_code error;
    if (!folder_.empty()) fs::remove_all(folder_, error);
  }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ + "/" + name) << text; }

  Words filled(Words words) const {
    for (std::string& word : words) {
      for (const auto& [gap, value] : {std::pair<std::string, std::string>{"{dir}", folder_}, {"{mpi}", test::bin_folder() + "/launcher_mpi_program"}})
        if (size_t at = word.find(gap); at != std::string::npos) word.replace(at, gap.size(), value);
    }
    return words;
  }

  RunOptions surroundings() const { return {GetParam().input, {{"DSLAUNCH_TEST_X", "from here"}}, folder_}; }

  // Files below the folder that --output-filename named, with their content; taken away afterwards.
  std::string files_written() const {
    std::string text;
    std::error_code error;
    std::vector<fs::path> paths;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ + "/out", error))
      if (entry.is_regular_file()) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) text += path.string() + ": " + read_file(path);
    fs::remove_all(folder_ + "/out", error);
    return text;
  }

  std::string folder_;
};

// Lines of several ranks come in any order.
std::string sorted_lines(const std::string& text) {
  Words lines = split(text, '\n');
  std::sort(lines.begin(), lines.end());
  return join(lines, "\n");
}

TEST_P(OptionTable, IsAsWithMpirunOrAsDocumented) {
  const Row& row = GetParam();
  const RunResult theirs = run_mpirun(filled(row.words), surroundings());
  const std::string their_files = files_written();
  const RunResult ours = run_dslaunch(filled(row.words), surroundings());
  const std::string our_files = files_written();
  const std::string both = "mpirun " + join(row.words, " ") + "\nmpirun wrote:\n" + theirs.out + theirs.err + "\ndslaunch wrote:\n" + ours.out + ours.err;
  if (row.differs.empty()) {
    EXPECT_EQ(ours.code, theirs.code) << both;
    EXPECT_EQ(sorted_lines(ours.out), sorted_lines(theirs.out)) << both;
    EXPECT_EQ(our_files, their_files) << both;
    return;
  }
  EXPECT_EQ(ours.code, row.our_code) << both;
  EXPECT_TRUE(ours.code != theirs.code || sorted_lines(ours.out) != sorted_lines(theirs.out)) << "no longer different: " << both;
  const std::string page = read_file(test::source_folder() / "docs/mpirun.md");
  EXPECT_NE(page.find("| " + row.differs + " |"), std::string::npos) << "docs/mpirun.md does not explain: " << row.differs;
}

INSTANTIATE_TEST_SUITE_P(Every, OptionTable, ::testing::ValuesIn(rows()), [](const auto& info) { return info.param.name; });

TEST(OptionTableAlone, ReportBindingsPrintsMpirunsLines) {
  if (const std::string reason = no_oracle(); !reason.empty()) GTEST_SKIP() << reason;
  const auto bindings = [](const std::string& text) {
    std::string result;
    const std::regex line("MCW rank .*");
    for (std::sregex_iterator match(text.begin(), text.end(), line), end; match != end; ++match) result += match->str() + "\n";
    return sorted_lines(result);
  };
  for (const Words& options : {Words{"--bind-to", "core"}, Words{"--bind-to", "none"}, Words{"--map-by", "slot"},
                               Words{"-np", "1", "--map-by", "slot:PE=2"}, Words{"-np", "1", "--bind-to", "socket"}}) {
    const Words words = two(with({"--report-bindings"}, options), {"true"});
    EXPECT_EQ(bindings(run_dslaunch(words).err), bindings(run_mpirun(words).err)) << join(words, " ");
  }
}

TEST(OptionTableAlone, ParametersInTheEnvironmentAreObeyed) {
  if (const std::string reason = no_oracle(); !reason.empty()) GTEST_SKIP() << reason;
  const std::vector<std::pair<std::string, std::string>> parameters = {
      {"rmaps_base_oversubscribe", "1"}, {"rmaps_base_oversubscribe", "0"}, {"hwloc_base_binding_policy", "none"},
      {"hwloc_base_cpu_list", "1"}, {"rmaps_base_mapping_policy", "ppr:1:node"}, {"orte_tag_output", "1"}};
  for (const auto& [key, value] : parameters) {
    RunOptions options;
    options.env["OMPI_MCA_" + key] = value;
    const Words words = key == "rmaps_base_oversubscribe" ? with({"-H", "localhost:1", "-np", "3"}, kShowRank)
                                                          : with({"-H", "localhost:2"}, kShowCpus);
    const RunResult ours = run_dslaunch(words, options), theirs = run_mpirun(words, options);
    EXPECT_EQ(ours.code == 0, theirs.code == 0) << key << ": " << ours.err << theirs.err;
    EXPECT_EQ(sorted_lines(ours.out), sorted_lines(theirs.out)) << key;
  }
}

TEST(OptionTableAlone, TimestampsHaveMpirunsForm) {
  if (const std::string reason = no_oracle(); !reason.empty()) GTEST_SKIP() << reason;
  const Words words = {"-np", "1", "--timestamp-output", "echo", "x"};
  const std::regex form("[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9]{2} [0-9:]{8} [0-9]{4}<stdout>:x\n");
  EXPECT_TRUE(std::regex_match(run_mpirun(words).out, form)) << run_mpirun(words).out;
  EXPECT_TRUE(std::regex_match(run_dslaunch(words).out, form)) << run_dslaunch(words).out;
}

TEST(OptionTableAlone, EveryOptionOfMpirunIsOnThePage) {
  if (const std::string reason = no_oracle(); !reason.empty()) GTEST_SKIP() << reason;
  const std::string page = read_file(test::source_folder() / "docs/mpirun.md"), help = run_mpirun({"--help", "full"}).out;
  const std::regex line("^ *-[-A-Za-z|]*", std::regex::multiline);
  int count = 0;
  for (std::sregex_iterator match(help.begin(), help.end(), line), end; match != end; ++match) {
    const Words names = split(std::string(trim(match->str())), '|');
    const bool found = std::any_of(names.begin(), names.end(), [&](const std::string& name) { return page.find("`" + name) != std::string::npos; });
    EXPECT_TRUE(found) << match->str();
    ++count;
  }
  EXPECT_GT(count, 80);
}

}  // namespace
}  // namespace ds::testing
