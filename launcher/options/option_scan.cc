#include "launcher/options/option_scan.h"

#include <cctype>

#include "launcher/options/mpirun_words.h"
#include "launcher/options/option_table.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

bool is_config(const std::string& word) { return word.size() > 4 && word.ends_with(".cfg"); }

// "-h", "--hostfile=x", "-x"; a lone "-" and ":" are words.
bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

std::string unknown_option(const std::string& word, const std::string& name) {
  std::vector<std::string> candidates;
  for (const OptionSpec& spec : option_table())
    for (const std::string& known : spec.names)
      if (known.size() > 1) candidates.push_back(known);
  std::string near = nearest(name, candidates);
  return "unknown option " + word + (near.empty() ? "" : "; the nearest is --" + near) + " (dslaunch -h lists all)";
}

class Scan {
 public:
  Scan(const std::vector<std::string>& words, std::vector<std::string>& problems) : words_(words), problems_(problems) {}

  ScannedCommand run() {
    result_.programs.emplace_back();
    while (at_ < words_.size()) {
      const std::string& word = words_[at_];
      if (word == "--" && result_.config.empty()) {
        ++at_;
        take_program();
      } else if (is_option(word)) {
        take_option(word);
      } else {
        take_word(word);
      }
    }
    return std::move(result_);
  }

 private:
  int program() const { return static_cast<int>(result_.programs.size()) - 1; }

  void take_word(const std::string& word) {
    if (!result_.config.empty()) {
      problems_.push_back("unexpected argument after " + result_.config + ": " + word +
                          "; keys of the file are given as --section.key value");
      ++at_;
    } else if (is_config(word) && program() == 0) {
      result_.config = word;
      ++at_;
    } else {
      take_program();
    }
  }

  void take_program() {
    std::vector<std::string>& argv = result_.programs.back();
    while (at_ < words_.size() && words_[at_] != ":") argv.push_back(words_[at_++]);
    if (at_ >= words_.size()) return;
    ++at_;
    if (argv.empty()) problems_.push_back("no program before \":\"");
    result_.programs.emplace_back();
  }

  void take_option(const std::string& word) {
    ++at_;
    std::string name = word.substr(word.starts_with("--") ? 2 : 1), inline_value;
    size_t equals = name.find('=');
    bool has_inline = equals != std::string::npos;
    if (has_inline) {
      inline_value = name.substr(equals + 1);
      name.resize(equals);
    }
    const OptionSpec* spec = find_option(name);
    if (const MpirunWord* other = spec ? nullptr : find_mpirun_word(name))
      return take_mpirun_word(word, *other, has_inline, inline_value);
    if (!spec) return take_unlisted(word, name, has_inline, inline_value);
    if (spec->answer == OptionAnswer::kNotSupported) problems_.push_back("option " + word + ": not supported yet");
    GivenOption given{spec, {}, program()};
    if (has_inline && spec->num_values() == 0) problems_.push_back("option " + word + " takes no value");
    if (has_inline && spec->num_values() > 0) given.values.push_back(inline_value);
    if (!take_values(word, given)) return;
    remember(word, std::move(given));
  }

  void remember(const std::string& word, GivenOption given) {
    if (given.program > 0 && !given.spec->per_program)
      problems_.push_back("option " + word + " holds for the whole job: give it before the first program");
    result_.options.push_back(std::move(given));
  }

  // An option of another launcher: said in our words, or refused with what to write instead.
  void take_mpirun_word(const std::string& word, const MpirunWord& other, bool has_inline, const std::string& inline_value) {
    std::string value = inline_value;
    for (int i = has_inline ? 1 : 0; i < other.num_values; ++i) {
      if (at_ >= words_.size()) return problems_.push_back("option " + word + " needs a value");
      value = words_[at_++];
    }
    if (!other.reason.empty()) problems_.push_back("option " + word + ": dslaunch does not have it: " + other.reason);
    if (other.meaning.empty()) return;
    GivenOption given{find_option(other.meaning[0]), {}, program()};
    if (other.meaning.size() > 1) {
      const size_t gap = other.meaning[1].find('%');
      given.values.push_back(gap == std::string::npos ? other.meaning[1]
                                                      : other.meaning[1].substr(0, gap) + value + other.meaning[1].substr(gap + 1));
    }
    remember(word, std::move(given));
  }

  bool take_values(const std::string& word, GivenOption& given) {
    while (static_cast<int>(given.values.size()) < given.spec->num_values()) {
      if (at_ >= words_.size()) {
        problems_.push_back("option " + word + " needs a value: " + given.spec->value);
        return false;
      }
      given.values.push_back(words_[at_++]);
    }
    return true;
  }

  void take_unlisted(const std::string& word, const std::string& name, bool has_inline, const std::string& value) {
    bool key = name.find('.') != std::string::npos && word.starts_with("--");
    if (!key) {
      problems_.push_back(unknown_option(word, name));
    } else if (has_inline) {
      result_.overrides.emplace_back(name, value);
    } else if (at_ < words_.size()) {
      result_.overrides.emplace_back(name, words_[at_++]);
    } else {
      problems_.push_back("key " + word + " needs a value");
    }
  }

  const std::vector<std::string>& words_;
  std::vector<std::string>& problems_;
  ScannedCommand result_;
  size_t at_ = 0;
};

}  // namespace

ScannedCommand scan_command(const std::vector<std::string>& arguments, std::vector<std::string>& problems) {
  return Scan(arguments, problems).run();
}

std::vector<std::string> shell_words(const std::string& line, const std::string& where) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (quote && c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
      in_word = true;
    } else if (quote) {
      word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote) throw Error(ErrorCode::kUsage, where + ": quote " + quote + " is not closed");
  if (in_word) words.push_back(word);
  return words;
}

std::vector<std::string> split_app_file(const std::string& text, const std::string& file) {
  std::vector<std::string> all;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (trim(line).empty() || trim(line)[0] == '#') continue;
    std::vector<std::string> words = shell_words(line, file + ":" + std::to_string(number));
    if (!all.empty()) all.push_back(":");
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

}  // namespace ds
