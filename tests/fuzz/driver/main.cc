// Main program of a fuzz target that is not built with libFuzzer: the same files, no coverage to guide it.
//
//   hostfile_fuzz [--seconds N] [--seed N] [--deadline N] PATH...
//
// PATHs that are folders are the corpus: first each of their files, then changed ones for N seconds (10). PATHs that
// are files are replayed, and that is all.
// --seed: the same numbers again, printed at the start (default: by the clock).
// --deadline: seconds of processor time one input may take (5).
// The input of a failure is written to NAME-PID.failure in the working folder.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>

#include "tests/fuzz/driver/guarded_run.h"
#include "tests/fuzz/driver/mutation.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Options {
  std::map<std::string, int64_t> numbers{
      {"--seconds", 10}, {"--seed", Clock::now().time_since_epoch().count()}, {"--deadline", 5}};
  std::vector<std::string> paths;
};

Options options_of(const std::vector<std::string>& words) {
  Options options;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      options.paths.push_back(words[i]);
      continue;
    }
    const auto number = i + 1 < words.size() ? parse_int(words[i + 1]) : std::nullopt;
    if (!options.numbers.contains(words[i]) || !number || *number < 0)
      throw Error(ErrorCode::kUsage, "fuzz: " + words[i] + ": known are --seconds N, --seed N, --deadline N");
    options.numbers[words[i++]] = *number;
  }
  if (options.paths.empty()) throw Error(ErrorCode::kUsage, "fuzz: give a folder with a corpus, or files to replay");
  return options;
}

Corpus files_of(const std::vector<std::string>& paths, bool& folders) {
  Corpus corpus;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      corpus.push_back(read_file(path));
      continue;
    }
    folders = true;
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path)) names.push_back(entry.path());
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) corpus.push_back(read_file(name));
  }
  if (corpus.empty()) throw Error(ErrorCode::kUsage, "fuzz: the corpus is empty");
  return corpus;
}

size_t run_changed(const Corpus& corpus, uint64_t seed, std::chrono::seconds limit) {
  Random random(seed);
  size_t count = 0;
  for (const auto end = Clock::now() + limit; Clock::now() < end; ++count) guarded_run(mutated(random, corpus));
  return count;
}

void run(const std::string& program, const Options& options) {
  guard(fs::path(program).filename().string() + "-" + std::to_string(getpid()) + ".failure",
        std::chrono::seconds(options.numbers.at("--deadline")));
  bool folders = false;
  const Corpus corpus = files_of(options.paths, folders);
  const auto seed = static_cast<uint64_t>(options.numbers.at("--seed"));
  std::printf("%zu files, --seed %lu\n", corpus.size(), seed);
  std::fflush(stdout);
  for (const std::string& input : corpus) guarded_run(input);
  if (!folders) return;
  std::printf("%zu changed inputs\n", run_changed(corpus, seed, std::chrono::seconds(options.numbers.at("--seconds"))));
}

}  // namespace
}  // namespace ds::fuzz

int main(int argc, char** argv) {
  try {
    ds::fuzz::run(argv[0], ds::fuzz::options_of({argv + 1, argv + argc}));
    return 0;
  } catch (const ds::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return ds::exit_status(error.code());
  }
}
