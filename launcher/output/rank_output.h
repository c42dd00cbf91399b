// Where the lines of the ranks go: terminal, log files, mpirun's output files, and the last ones kept for the report.
// What happens when one of them does not keep up: docs/output.md.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/output/last_lines.h"
#include "launcher/output/left_out.h"
#include "launcher/output/line_format.h"
#include "launcher/output/log_files.h"
#include "launcher/output/verdict.h"

namespace ds {

class Console;

struct RankOutputOptions {
  LineFormat format;
  bool show = true;              // to the terminal
  bool show_notes = false;       // lines "note:" and "warning:" of rank 0's stdout to the terminal although !show
  bool leaves_out = false;       // a terminal that does not keep up misses lines; else those who write wait
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

  // `data` holds whole lines; the last may lack its newline at the end of the stream, or because the line is too long.
  void take(int rank, bool is_stderr, const std::string& data);

  // Whether more may come; if not, when_room() calls once, from any thread, when it may be worth asking again. nullptr
  // takes that back.
  bool has_room() const;
  void when_room(const std::function<void()>& then);

  // The failure that the job ends with: on the terminal, it and that rank's last lines come before what the other ranks
  // write from now on.
  void first_failure(const Verdict& verdict);
  void finish();  // tells what is not told yet; everything is in the files when it returns

  // The last lines a rank wrote, stderr if it wrote any there, else stdout; each ends with a newline.
  std::string last_lines(int rank) const;
  // "" when ranks are not logged.
  std::string log_path(int rank) const;

 private:
  struct Kept {
    LastLines out, err;
  };
  void show(int rank, bool is_stderr, const std::string& data);
  bool leave_out(int rank, const std::string& data);
  void tell_left_out();
  void tell_failure_before(int rank);
  void show_notes(const std::string& data);
  void tell_problems();
  std::string mpirun_path(int rank, bool is_stderr) const;

  Console& console_;
  RankOutputOptions options_;
  std::map<int, Kept> kept_;
  LogFiles files_;
  LeftOut left_out_;
  std::optional<Verdict> failure_;  // not shown yet
  int open_rank_[2] = {-1, -1};     // by stream: whose line has no end yet
};

}  // namespace ds
