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

// Those are read before anything is scanned.
bool names_a_file_of_options(const OptionSpec& spec) {
  const std::string& name = spec.names[0];
  return name == "app" || name == "tune" || name == "am";
}

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
  explicit Scan(std::vector<std::string>& problems) : problems_(problems) { add_program(); }

  void take_words(const std::vector<std::string>& words) {
    words_ = words;
    for (at_ = 0; at_ < words_.size();) {
      const std::string word = words_[at_];
      if (word == "--" && result_.config.empty()) {
        ++at_;
        take_program();
      } else if (is_option(word)) {
        take_option(word);
      } else {
        take_word(word);
      }
    }
  }

  void take_app_file(const std::vector<AppLine>& lines) {
    if (result_.programs.size() > 1 || !result_.programs[0].empty() || !result_.config.empty())
      return problem("option --app: its file has the programs: leave out those of the command line: " +
                     (result_.config.empty() ? join(result_.programs[0], " ") : result_.config));
    for (const AppLine& line : lines) {
      where_ = line.where + ": ";
      if (&line == &lines[0]) result_.where[0] = where_;
      else add_program();
      take_words(line.words);
    }
  }

  ScannedCommand result() { return std::move(result_); }

 private:
  void problem(const std::string& text) { problems_.push_back(where_ + text); }

  void add_program() {
    result_.programs.emplace_back();
    result_.where.push_back(where_);
  }

  bool ends_program(const std::string& word) const { return word == ":" && where_.empty(); }

  int program() const { return static_cast<int>(result_.programs.size()) - 1; }

  void take_word(const std::string& word) {
    if (!result_.config.empty()) {
      problem("unexpected argument after " + result_.config + ": " + word +
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
    while (at_ < words_.size() && !ends_program(words_[at_])) argv.push_back(words_[at_++]);
    if (at_ >= words_.size()) return;
    ++at_;
    if (argv.empty()) problem("no program before \":\"");
    add_program();
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
    GivenOption given{spec, {}, program(), where_};
    if (has_inline && spec->num_values() == 0) problem("option " + word + " takes no value");
    if (has_inline && spec->num_values() > 0) given.values.push_back(inline_value);
    if (!take_values(word, spec->num_values(), spec->value, given.values)) return;
    remember(word, std::move(given));
  }

  void remember(const std::string& word, GivenOption given) {
    const bool in_app_file = !where_.empty();
    if (given.program > 0 && !given.spec->per_program)
      problem("option " + word + " holds for the whole job: give it " +
              (in_app_file ? "on the command line" : "before the first program"));
    if (in_app_file && names_a_file_of_options(*given.spec))
      problem("option " + word + ": give it on the command line");
    result_.options.push_back(std::move(given));
  }

  // An option of another launcher: said in our words, or refused with what to write instead.
  void take_mpirun_word(const std::string& word, const MpirunWord& other, bool has_inline,
                        const std::string& inline_value) {
    if (!other.reason.empty()) problem("option " + word + ": dslaunch does not have it: " + other.reason);
    if (has_inline && other.num_values == 0) problem("option " + word + " takes no value");
    std::vector<std::string> values;
    if (has_inline) values.push_back(inline_value);
    if (!take_values(word, other.num_values, "", values)) return;
    if (other.meaning.empty()) return;
    GivenOption given{find_option(other.meaning[0]), {}, program(), where_};
    if (other.meaning.size() > 1) {
      const size_t gap = other.meaning[1].find('%');
      given.values.push_back(gap == std::string::npos
                                 ? other.meaning[1]
                                 : other.meaning[1].substr(0, gap) + values.at(0) + other.meaning[1].substr(gap + 1));
    }
    remember(word, std::move(given));
  }

  // An option in the place of a value: the value was forgotten. One that begins with - is written --option=VALUE.
  static bool is_known_option(const std::string& word) {
    if (!is_option(word)) return false;
    const std::string name = word.substr(word.starts_with("--") ? 2 : 1);
    return find_option(name) || find_mpirun_word(name);
  }

  // Until there are `num` of them; `meaning` tells what they are.
  bool take_values(const std::string& word, int num, const std::string& meaning, std::vector<std::string>& values) {
    while (static_cast<int>(values.size()) < num) {
      // --mca plm_rsh_args -x: options of another program.
      const bool takes_options = !values.empty() && values[0].ends_with("_args");
      if (at_ >= words_.size() || (is_known_option(words_[at_]) && !takes_options)) {
        problem("option " + word + " needs a value" + (meaning.empty() ? "" : ": " + meaning) +
                (at_ < words_.size() ? "; " + words_[at_] + " is an option" : ""));
        return false;
      }
      values.push_back(words_[at_++]);
    }
    return true;
  }

  void take_unlisted(const std::string& word, const std::string& name, bool has_inline, const std::string& value) {
    bool key = name.find('.') != std::string::npos && word.starts_with("--");
    if (!key) {
      problem(unknown_option(word, name));
    } else if (has_inline) {
      result_.overrides.emplace_back(name, value);
    } else if (at_ < words_.size()) {
      result_.overrides.emplace_back(name, words_[at_++]);
    } else {
      problem("key " + word + " needs a value");
    }
  }

  std::vector<std::string> words_;
  size_t at_ = 0;
  std::string where_;  // begins the messages about these words
  std::vector<std::string>& problems_;
  ScannedCommand result_;
};

}  // namespace

ScannedCommand scan_command(const std::vector<std::string>& arguments, std::vector<std::string>& problems,
                            const std::vector<AppLine>& app) {
  Scan scan(problems);
  scan.take_words(arguments);
  if (!app.empty()) scan.take_app_file(app);
  return scan.result();
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

}  // namespace ds
