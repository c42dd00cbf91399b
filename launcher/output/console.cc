#include "launcher/output/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <string_view>

#include "launcher/output/terminal_writer.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr const char* kEraseLine = "\r\033[K";

}  // namespace

void Console::emit(int fd, std::string_view text) {
  if (text.empty()) return;
  bool redraw = !bar_.empty();
  if (redraw) writer_.write(STDOUT_FILENO, kEraseLine);
  writer_.write(fd, text);
  if (redraw && text.back() != '\n') writer_.write(fd, "\n");
  if (redraw) writer_.write(STDOUT_FILENO, bar_);
  const bool on_the_screen_of_notes = fd == STDERR_FILENO || ::isatty(fd);
  if (on_the_screen_of_notes) open_line_ = !redraw && text.back() != '\n';
}

void Console::say(const std::string& text, const char* colour) {
  std::string all = open_line_ ? "\n" : "";
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) continue;
    all += options_.colours ? std::string(colour) + "dslaunch:\033[0m " : "dslaunch: ";
    all += line + "\n";
  }
  emit(STDERR_FILENO, all);
}

void Console::note(const std::string& text) {
  if (!options_.quiet) say(text, "\033[2m");
}

void Console::detail(const std::string& text) {
  if (options_.verbose) say(text, "\033[2m");
}

void Console::error(const std::string& text) { say(text, "\033[31m"); }

// A line longer than the terminal would wrap, and then could not be erased.
void Console::bar(const std::string& line) {
  winsize size{};
  bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  bar_ = known ? line.substr(0, size.ws_col - 1u) : line;
  if (!writer_.is_idle()) return;
  writer_.write(STDOUT_FILENO, kEraseLine + bar_);
}

void Console::end_bar() {
  if (!bar_.empty()) writer_.write(STDOUT_FILENO, "\n");
  bar_.clear();
}

}  // namespace ds
