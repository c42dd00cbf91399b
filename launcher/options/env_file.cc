#include "launcher/options/env_file.h"

#include <cctype>
#include <sstream>

#include "agent/rank_environment.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

bool is_name(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  for (char c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '-') return false;
  return true;
}

class EnvFile {
 public:
  EnvFile(const std::string& text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
  }

  std::vector<std::string> read() {
    for (; at_ < text_.size(); ++line_) take_line();
    throw_if_any("", problems_);
    return std::move(exports_);
  }

 private:
  bool at_end_of_line() const { return at_ >= text_.size() || text_[at_] == '\n'; }
  bool at_blank() const { return !at_end_of_line() && std::isspace(static_cast<unsigned char>(text_[at_])); }
  void skip_blanks() {
    while (at_blank()) ++at_;
  }

  void refuse(int line, const std::string& what) {
    problems_.push_back(file_ + ":" + std::to_string(line) + ": " + what);
  }

  void take_line() {
    const int number = line_;
    const std::string whole(trim(text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_)));
    skip_blanks();
    if (!at_end_of_line() && text_[at_] != '#') take_assignment(number, whole);
    while (!at_end_of_line()) ++at_;
    ++at_;
  }

  void take_assignment(int number, const std::string& whole) {
    std::string head;
    while (!at_end_of_line() && text_[at_] != '=') head += text_[at_++];
    std::istringstream words(head);
    std::string name, word, more;
    words >> name;
    if (name == "export") words >> name;
    if (name == trim(kPrependWord) && words >> name) word = kPrependWord;
    if (at_end_of_line() || !is_name(name) || words >> more) return refuse(number, "not NAME=value: " + whole);
    ++at_;
    skip_blanks();
    std::string value;
    const char quote = at_end_of_line() ? 0 : text_[at_];
    if (quote != '\'' && quote != '"') {
      value = plain_value();
    } else if (!quoted_value(quote, value)) {
      return refuse(number, std::string("quote ") + quote + " is not closed");
    }
    exports_.push_back(word + name + "=" + value);
  }

  std::string plain_value() {
    std::string value;
    while (!at_end_of_line()) {
      const bool comment =
          text_[at_] == '#' && (value.empty() || std::isspace(static_cast<unsigned char>(value.back())));
      if (comment) break;
      value += text_[at_++];
    }
    return std::string(trim(value));
  }

  bool quoted_value(char quote, std::string& value) {
    for (++at_; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == quote) return ++at_, true;
      if (c == '\n') ++line_;
      if (quote == '"' && c == '\\' && at_ + 1 < text_.size()) {
        const char next = text_[++at_];
        if (next == '\n') ++line_;
        const std::string_view known = "nt\"\\$";
        if (known.find(next) == std::string_view::npos) value += c;
        c = next == 'n' ? '\n' : next == 't' ? '\t' : next;
      }
      value += c;
    }
    return false;
  }

  const std::string& text_;
  const std::string& file_;
  size_t at_ = 0;
  int line_ = 1;
  std::vector<std::string> exports_, problems_;
};

}  // namespace

std::vector<std::string> parse_env_file(const std::string& text, const std::string& file) {
  return EnvFile(text, file).read();
}

}  // namespace ds
