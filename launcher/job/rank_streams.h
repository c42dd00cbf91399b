// What the ranks of a generation write and read while they run: their output to terminal and files, at most as fast as
// those take it, and the launcher's standard input to the ranks that read it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "launcher/output/input_window.h"
#include "launcher/output/output_credit.h"

namespace boost::asio {
class io_context;
}

namespace ds {

namespace control {
class Envelope;
class InputTaken;
class Output;
}  // namespace control
class Console;
class RankOutput;
class StdinReader;
struct RankOutputOptions;
struct Verdict;

class RankStreams {
 public:
  using Send = std::function<void(int host, const control::Envelope& message)>;

  RankStreams(boost::asio::io_context& io, Console& console, Send send);
  ~RankStreams();

  // A generation with ranks on these hosts, of `num_hosts` hosts that the job knows; ends the one before.
  void begin(int generation, const std::vector<int>& hosts, size_t num_hosts, const RankOutputOptions& options);
  void feed(const std::vector<int>& readers);  // standard input, from now on
  void stop_feeding();

  void take(int host, const control::Output& output);
  void take(const control::InputTaken& taken);
  void rank_ended(int rank);
  // Ranks wait in their write() until somebody reads what is there.
  bool waits_for_reader() const { return waits_for_reader_; }

  void first_failure(const Verdict& verdict);   // shown before what other ranks write after it
  void finish();                                // everything is in the files and on the terminal when it returns
  std::string last_lines(int rank) const;       // "" when it wrote nothing
  std::string log_path(int rank) const;         // "" when ranks are not logged

 private:
  void acknowledge(int host);
  void wait_for_reader();
  void send_input(const std::string& bytes, bool end);
  void allow_more_input();

  boost::asio::io_context& io_;
  Console& console_;
  Send send_;
  int generation_ = 0;
  std::vector<int> hosts_;
  std::unique_ptr<RankOutput> output_;
  OutputCredit credit_;
  bool waits_for_reader_ = false;
  std::unique_ptr<StdinReader> stdin_;
  InputWindow input_{{}};
};

}  // namespace ds
