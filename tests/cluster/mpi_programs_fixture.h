// Three hosts on which a program runs under dslaunch and under mpirun, with the same hostfile, both by ssh.
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cluster/job_fixture.h"
#include "topology/base/text.h"

namespace ds::testing {

class BothLaunchersTest : public JobTest {
 protected:
  using Words = std::vector<std::string>;
  // A crowded machine needs most of it; nothing waits for it to pass.
  static constexpr std::chrono::seconds kLimit{300};

  // mpirun is told what dslaunch finds out by itself: the network that all hosts share, and to give cores away.
  Words mpirun(const Words& arguments) const {
    Words words{"mpirun", "--allow-run-as-root", "--hostfile", hostfile(), "--mca", "mpi_yield_when_idle", "1", "--mca",
                "btl_tcp_if_include", "eth0", "--mca", "pml", "ob1", "--mca", "btl", "self,vader,tcp"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
  }

  static std::string mpi_program(const std::string& name) { return program("mpi_programs/" + name); }

  // The folder in which both start, new for each run: empty, or with the files of mpi_programs/inputs/INPUT.
  std::string work() const { return folder("work"); }

  // What the program prints; `arguments` are options of the launcher and the program.
  std::string under_dslaunch(const Words& arguments, const std::string& input = "") { return run(launch(arguments), input).out; }
  std::string under_mpirun(const Words& arguments, const std::string& input = "") { return run(mpirun(arguments), input).out; }

  HostBed::Result run(const Words& argv, const std::string& input = "", int code = 0) {
    std::filesystem::remove_all(work());
    std::filesystem::create_directory(work());
    if (!input.empty()) std::filesystem::copy(source() + "/tests/cluster/mpi_programs/inputs/" + input, work());
    CommandOptions options;
    options.folder = work();
    const auto result = bed().run("node1", argv, kLimit, options);
    EXPECT_EQ(result.code, code) << argv[0] << ": " << result.out << result.err;
    return result;
  }

  // Programs of which only rank 0 prints. Returns what it printed.
  std::string expect_same_output(const Words& arguments) {
    const std::string ours = under_dslaunch(arguments), theirs = under_mpirun(arguments);
    EXPECT_FALSE(ours.empty());
    EXPECT_EQ(ours, theirs);
    expect_nothing_left();
    return ours;
  }
};

inline bool has_line(const std::string& text, const std::string& line) {
  const auto lines = split(text, '\n');
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace ds::testing
