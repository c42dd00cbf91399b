#include "hostfiles/hostfile_line.h"

#include <algorithm>
#include <array>

#include "hostfiles/host_name.h"
#include "hostfiles/host_range.h"
#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/host.h"

namespace ds {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

enum class Key { kSlots, kMaxSlots, kPort, kUser, kIgnored, kUnknown };

struct KeyName {
  std::string_view name;  // with '_' for '-'
  Key key;
};

constexpr std::array kKeyNames{
    KeyName{"slots", Key::kSlots},         KeyName{"slot", Key::kSlots},          KeyName{"cpu", Key::kSlots},
    KeyName{"cpus", Key::kSlots},          KeyName{"count", Key::kSlots},         KeyName{"max_slots", Key::kMaxSlots},
    KeyName{"slots_max", Key::kMaxSlots},  KeyName{"max_slot", Key::kMaxSlots},   KeyName{"slot_max", Key::kMaxSlots},
    KeyName{"cpu_max", Key::kMaxSlots},    KeyName{"max_cpu", Key::kMaxSlots},    KeyName{"cpus_max", Key::kMaxSlots},
    KeyName{"max_cpus", Key::kMaxSlots},   KeyName{"count_max", Key::kMaxSlots},  KeyName{"max_count", Key::kMaxSlots},
    KeyName{"max", Key::kMaxSlots},        KeyName{"port", Key::kPort},           KeyName{"username", Key::kUser},
    KeyName{"user_name", Key::kUser},      KeyName{"user", Key::kUser},           KeyName{"boards", Key::kIgnored},
    KeyName{"board", Key::kIgnored},       KeyName{"sockets", Key::kIgnored},     KeyName{"socket", Key::kIgnored},
    KeyName{"cores", Key::kIgnored},       KeyName{"core", Key::kIgnored},        KeyName{"max_boards", Key::kIgnored},
    KeyName{"boards_max", Key::kIgnored},  KeyName{"max_sockets", Key::kIgnored}, KeyName{"sockets_max", Key::kIgnored},
    KeyName{"max_cores", Key::kIgnored},   KeyName{"cores_max", Key::kIgnored},   KeyName{"sockets_per_board", Key::kIgnored},
    KeyName{"cores_per_socket", Key::kIgnored}};

Key key_named(std::string_view text) {
  std::string name = lower(text);
  std::replace(name.begin(), name.end(), '-', '_');
  for (const KeyName& known : kKeyNames)
    if (known.name == name) return known.key;
  return Key::kUnknown;
}

std::string unknown_key_text(std::string_view key) {
  std::vector<std::string> names;
  for (const KeyName& known : kKeyNames)
    if (known.key != Key::kIgnored) names.emplace_back(known.name);
  const std::string near = nearest(key, names);
  return "unknown key " + quote(key) + (near.empty() ? "" : ", did you mean " + quote(near) + "?") +
         " (known: slots, cpu, count, max_slots, port, username)";
}

// Takes the next run of characters that are not in `stops` from the front of `text`.
std::string_view take_until(std::string_view& text, std::string_view stops) {
  const std::string_view word = text.substr(0, text.find_first_of(stops));
  text.remove_prefix(word.size());
  return word;
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
}

std::string_view take_value(std::string_view& text) {
  if (text.starts_with('"') && text.find('"', 1) != std::string_view::npos) {
    const std::string_view inside = text.substr(1, text.find('"', 1) - 1);
    text.remove_prefix(inside.size() + 2);
    return inside;
  }
  return take_until(text, kBlanks);
}

std::optional<int> number_of(std::string_view key, std::string_view value, int low, int high, HostfileLine& line) {
  const auto number = parse_int(value);
  if (number && *number >= low && *number <= high) return static_cast<int>(*number);
  line.problems.push_back(std::string(key) + "=" + quote(value) + ": must be a whole number from " + std::to_string(low) +
                          " to " + std::to_string(high));
  return std::nullopt;
}

void set_key(std::string_view key, std::string_view value, HostfileLine& line) {
  const auto refuse_second = [&](bool given) {
    if (given) line.problems.push_back(quote(key) + " is given twice");
  };
  switch (key_named(key)) {
    case Key::kSlots:
      refuse_second(line.slots.has_value());
      line.slots = number_of(key, value, 0, kMaxSlots, line);
      break;
    case Key::kMaxSlots:
      refuse_second(line.max_slots.has_value());
      line.max_slots = number_of(key, value, 0, kMaxSlots, line);
      break;
    case Key::kPort:
      refuse_second(line.port != 0);
      line.port = number_of(key, value, 1, 65535, line).value_or(0);
      break;
    case Key::kUser:
      refuse_second(!line.user.empty());
      line.user = value;
      if (!is_user_name(value)) line.problems.push_back("bad user name " + quote(value));
      break;
    case Key::kIgnored:
      line.warnings.push_back("key " + quote(key) + " has no effect");
      break;
    case Key::kUnknown:
      line.problems.push_back(unknown_key_text(key));
      break;
  }
}

void parse_settings(std::string_view rest, HostfileLine& line) {
  for (skip_blanks(rest); !rest.empty(); skip_blanks(rest)) {
    const std::string_view key = take_until(rest, " \t\r\v\f=");
    skip_blanks(rest);
    if (!rest.starts_with('=')) {
      line.problems.push_back("unexpected " + quote(key) + ": after the host name only key=value may stand");
      continue;
    }
    rest.remove_prefix(1);
    skip_blanks(rest);
    set_key(key, take_value(rest), line);
  }
}

// The tail of "name:4" (slots) or "[v6]:22" (port of sshd).
void set_tail(const WrittenHost& written, HostfileLine& line) {
  if (!written.tail) return;
  if (written.bracketed) line.port = number_of("port", *written.tail, 1, 65535, line).value_or(0);
  else line.slots = number_of("slots", *written.tail, 0, kMaxSlots, line);
}

void parse_host(std::string_view text, HostfileLine& line) {
  line.excluded = text.starts_with('^');
  if (line.excluded) text.remove_prefix(1);
  if (text.starts_with('+')) {
    line.problems.push_back(quote(text) + ": relative hosts (+n0, +e) are not supported: write the name of the host");
    return;
  }
  const WrittenHost written = split_written_host(text);
  line.user = written.user;
  if (text.find('@') != std::string_view::npos && !is_user_name(written.user))
    line.problems.push_back(quote(text) + ": bad user name " + quote(written.user));
  set_tail(written, line);
  try {
    line.names = written.bracketed ? std::vector{written.name} : expand_host_range(written.name);
  } catch (const Error& error) {
    line.problems.push_back(error.what());
  }
  for (const std::string& name : line.names) {
    if (is_host_name(name)) continue;
    const bool comma = name.find(',') != std::string::npos;
    line.problems.push_back(quote(name) + " is not a host name" + (comma ? ": one host a line" : ""));
    line.names.clear();
    break;
  }
}

void check_together(HostfileLine& line) {
  if (line.slots && line.max_slots && *line.max_slots < *line.slots)
    line.problems.push_back("max_slots=" + std::to_string(*line.max_slots) + " is less than slots=" + std::to_string(*line.slots));
  if (!line.slots) line.slots = line.max_slots;
  if (line.excluded && (line.slots || line.port != 0)) line.problems.push_back("an excluded host takes no settings");
}

}  // namespace

std::string without_comments(std::string_view text, int& unclosed_line) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::string result;
  int line = 1;
  unclosed_line = 0;
  while (!text.empty()) {
    const bool block = text.starts_with("/*");
    size_t length = 1;
    if (block) {
      const auto end = text.find("*/", 2);
      if (end == std::string_view::npos) unclosed_line = line;
      length = end == std::string_view::npos ? text.size() : end + 2;
    } else if (text.starts_with('#') || text.starts_with("//")) {
      length = std::min(text.find('\n'), text.size());
    }
    const std::string_view piece = text.substr(0, length);
    const auto breaks = std::count(piece.begin(), piece.end(), '\n');
    line += static_cast<int>(breaks);
    if (block) result += ' ' + std::string(static_cast<size_t>(breaks), '\n');
    else if (length == 1 && piece != "#") result += piece;
    text.remove_prefix(length);
  }
  return result;
}

HostfileLine parse_hostfile_line(std::string_view text) {
  HostfileLine line;
  std::string_view rest = trim(text);
  const std::string_view host = take_until(rest, " \t\r\v\f=");
  const std::string_view after = trim(rest);
  if (host == "rank" && rest != after && !after.starts_with('=') && after.find('=') < after.find_first_of(kBlanks) &&
      parse_int(after.substr(0, after.find('=')))) {
    line.problems.push_back("this is a line of a rankfile: give the file with --rankfile");
    return line;
  }
  if (host.empty() || after.starts_with('=')) {
    line.problems.push_back(quote(trim(text)) + ": no host name before the setting");
    return line;
  }
  parse_host(host, line);
  parse_settings(rest, line);
  check_together(line);
  return line;
}

}  // namespace ds
