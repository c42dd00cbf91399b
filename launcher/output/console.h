// The person's terminal: output of ranks, notes, and one refreshed progress line that never mixes with the rest.
#pragma once

#include <string>
#include <string_view>

namespace ds {

class TerminalWriter;

class Console {
 public:
  struct Options {
    bool quiet = false, verbose = false;
    bool colours = false;      // on stderr (colour_choice.h)
    bool out_colours = false;  // on stdout
  };

  Console(TerminalWriter& writer, const Options& options) : writer_(writer), options_(options) {}
  ~Console() { end_bar(); }

  const Options& options() const { return options_; }
  TerminalWriter& writer() { return writer_; }  // who asks whether there is room

  void out(std::string_view text) { emit(1, text); }
  void err(std::string_view text) { emit(2, text); }
  // One line of ours on stderr, "dslaunch: text"; left out with -q. Several lines: each gets the prefix.
  void note(const std::string& text);
  void detail(const std::string& text);  // only with -v
  void error(const std::string& text);   // never left out
  // Replaces the refreshed line; only for a stdout that is a terminal. One that does not keep up is spared it.
  void bar(const std::string& line);
  void end_bar();  // leaves the last state of the line on screen

 private:
  void emit(int fd, std::string_view text);
  void say(const std::string& text, const char* colour);

  TerminalWriter& writer_;
  Options options_;
  std::string bar_;
  bool open_line_ = false;  // the last output of a rank had no newline at its end
};

}  // namespace ds
