// Where the lines of the ranks go: terminal, log files, mpirun's output files, and the last ones kept for the report.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "launcher/line_format.h"

namespace ds {

class Console;
class OutputFile;

struct RankOutputOptions {
  LineFormat format;
  bool show = true;              // to the terminal
  bool show_notes = false;       // lines "note:" and "warning:" of rank 0's stdout to the terminal although !show
  std::string log_folder;        // <folder>/rank<r>.log gets both streams; "" = none
  std::string mpirun_folder;     // <folder>/1/rank.<r>/stdout and stderr; "" = none
  std::string rank_log_folder;   // <folder>/rank<r>.log; "" = none
  bool merge_stderr = false;
  int world_size = 1;
};

class RankOutput {
 public:
  RankOutput(Console& console, const RankOutputOptions& options);
  ~RankOutput();

  // `data` holds whole lines; the last may lack its newline at the end of the stream.
  void take(int rank, bool is_stderr, const std::string& data);

  // The last lines a rank wrote, stderr if it wrote any there, else stdout; each ends with a newline.
  std::string last_lines(int rank) const;
  // "" when ranks are not logged.
  std::string log_path(int rank) const;

 private:
  struct Kept {
    std::deque<std::string> out, err;
  };
  void show(int rank, bool is_stderr, const std::string& data);
  void show_notes(const std::string& data);
  void keep(int rank, bool is_stderr, const std::string& data);
  void append(const std::string& path, const std::string& data);
  std::string mpirun_path(int rank, bool is_stderr) const;

  Console& console_;
  RankOutputOptions options_;
  std::map<int, Kept> kept_;
  std::map<std::string, std::unique_ptr<OutputFile>> files_;
};

}  // namespace ds
