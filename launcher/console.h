// The person's terminal: output of ranks, notes, and one refreshed progress line that never mixes with the rest.
#pragma once

#include <string>

namespace ds {

class TerminalWriter;

class Console {
 public:
  struct Options {
    bool quiet = false, verbose = false;
    bool colours = false;  // stderr is a terminal and NO_COLOR is not set
  };

  Console(TerminalWriter& writer, const Options& options) : writer_(writer), options_(options) {}
  ~Console() { end_bar(); }

  void out(const std::string& text) { emit(1, text); }
  void err(const std::string& text) { emit(2, text); }
  // One line of ours on stderr, "dslaunch: text"; left out with -q. Several lines: each gets the prefix.
  void note(const std::string& text);
  void detail(const std::string& text);  // only with -v
  void error(const std::string& text);   // never left out
  // Replaces the refreshed line; only for a stdout that is a terminal.
  void bar(const std::string& line);
  void end_bar();  // leaves the last state of the line on screen

 private:
  void emit(int fd, const std::string& text);
  void say(const std::string& text, const char* colour);

  TerminalWriter& writer_;
  Options options_;
  std::string bar_;
  bool open_line_ = false;  // the last output of a rank had no newline at its end
};

}  // namespace ds
