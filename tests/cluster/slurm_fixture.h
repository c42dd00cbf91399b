// Jobs submitted to a Slurm of three nodes: as a user's own script, and as the scripts that the project ships.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "tests/cluster/job_fixture.h"
#include "topology/base/text.h"

namespace ds::testing {

class SlurmTest : public JobTest {
 protected:
  SlurmTest() : JobTest(true) {}

  // Submits a job of 3 nodes with 2 tasks each; its number.
  std::string submit(const std::string& name, const std::string& command) {
    const std::string script = folder(name) + ".sh";
    std::ofstream(script) << "#!/bin/bash\n#SBATCH -N3 --ntasks-per-node=2 -o " << folder(name) << ".log\n"
                          << command << "\necho $? > " << folder(name) << ".code\n";
    const auto result = bed().run("node1", {"sbatch", "--parsable", script}, std::chrono::seconds(30));
    EXPECT_EQ(result.code, 0) << result.err;
    return std::string(trim(result.out));
  }

  std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // The exit code that the command wrote; "" when it did not end in time.
  std::string code_of(const std::string& name, std::chrono::seconds deadline) {
    wait_until([&] { return read(folder(name) + ".code").ends_with("\n"); }, deadline);
    return std::string(trim(read(folder(name) + ".code")));
  }
};

// The scripts that the project ships, submitted as their first lines say.
class SlurmScriptTest : public SlurmTest {
 protected:
  std::string sbatch(std::vector<std::string> options, const std::string& script, std::vector<std::string> arguments) {
    options.insert(options.begin(), {"sbatch", "--parsable", "-N3", "--ntasks-per-node=2"});
    options.push_back(source() + "/scripts/slurm/" + script);
    options.insert(options.end(), arguments.begin(), arguments.end());
    CommandOptions where;
    where.folder = bed().folder();
    where.environment["DSLAUNCH"] = program("dslaunch");
    const auto result = bed().run("node1", options, std::chrono::seconds(30), where);
    EXPECT_EQ(result.code, 0) << result.err;
    return std::string(trim(result.out));
  }

  std::string state_of(const std::string& job) {
    const auto shown = bed().run("node1", {"scontrol", "show", "job", job, "-o"}, std::chrono::seconds(30)).out;
    return word_after(shown, "JobState=") + " " + word_after(shown, "ExitCode=");
  }

  // "COMPLETED 0:0", "FAILED 75:0", … once the job is over; "" at the deadline.
  std::string end_of(const std::string& job, std::chrono::seconds deadline) {
    std::string state;
    wait_until(
        [&] {
          state = state_of(job);
          return state.find("COMPLETED") == 0 || state.find("FAILED") == 0 || state.find("CANCELLED") == 0;
        },
        deadline);
    return state;
  }

  static std::string word_after(const std::string& text, const std::string& key) {
    const auto at = text.find(key);
    if (at == std::string::npos) return "";
    return text.substr(at + key.size(), text.find_first_of(" \n", at) - at - key.size());
  }

  std::string log(const std::string& file) { return read(folder(file)); }
  bool trains(const std::string& name) {
    return wait_until([&] { return losses_of(folder(name)).size() >= 3; }, std::chrono::seconds(120));
  }
};

}  // namespace ds::testing
