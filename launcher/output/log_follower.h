// Reads what is new in the log files of a job's generations, one generation after the other. Knows no terminal.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ds {

// The newest generation with logs in OUTPUT/logs; 0 = none.
int newest_generation(const std::string& output);

class LogFollower {
 public:
  struct Lines {
    int generation = 0, rank = 0;
    std::string_view text;  // whole lines, except at the end of a generation
  };
  using Show = std::function<void(const Lines&)>;

  // `rank`: only that one's.
  LogFollower(std::string output, std::optional<int> rank, Show show);

  int generation() const { return generation_; }
  std::string folder() const;  // of the generation
  bool has_files() const;
  // Goes to this generation; everything that is new there comes with the next show_new().
  void enter(int generation);
  void show_new();
  // The generation writes no more: what is new, and the unfinished last lines.
  void show_rest();

 private:
  std::map<int, std::string> files() const;  // by rank
  void show_file(int rank, const std::string& path, bool to_the_end);

  std::string output_;
  std::optional<int> rank_;
  Show show_;
  int generation_ = 0;
  std::map<int, off_t> done_;  // bytes shown, by rank
};

}  // namespace ds
