#include "engine/config/ds_check.h"

#include <algorithm>
#include <cmath>

#include "engine/config/value_rule.h"
#include "topology/base/text.h"

namespace ds {

using Kind = JsonNode::Kind;

std::string where(const std::string& file, const JsonNode& node) { return file + ":" + std::to_string(node.line); }

std::optional<double> as_number(const JsonNode& node) {
  if (node.is(Kind::kInteger) || node.is(Kind::kNumber)) return node.number;
  if (!node.is(Kind::kText)) return std::nullopt;
  const auto value = parse_double(trim(node.text));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<int64_t> as_integer(const JsonNode& node) {
  if (node.is(Kind::kInteger)) return node.integer;
  if (node.is(Kind::kText))
    if (const auto value = parse_int(trim(node.text))) return value;
  const auto value = as_number(node);
  if (!value || std::floor(*value) != *value || std::abs(*value) > 9e15) return std::nullopt;
  return static_cast<int64_t>(*value);
}

std::optional<bool> as_flag(const JsonNode& node) {
  return node.is(Kind::kFlag) ? std::optional(node.flag) : std::nullopt;
}

std::optional<std::string> as_word(const JsonNode& node) {
  return node.is(Kind::kText) && !node.is_auto() ? std::optional(node.text) : std::nullopt;
}

namespace {

using Components = std::vector<std::string>;

// How well a pattern fits a path: number of components that are equal rather than "*"; -1 when it does not.
int fit(const Components& pattern, const Components& path, size_t length) {
  if (pattern.size() < length || path.size() < length) return -1;
  int equal = 0;
  for (size_t i = 0; i < length; ++i) {
    if (pattern[i] == path[i])
      ++equal;
    else if (pattern[i] != "*")
      return -1;
  }
  return equal;
}

constexpr size_t kMaxSuggestions = 30;  // of a nearest key; a file of another kind would need one a line

struct Pattern {
  Components parts;
  const DsKey* key;
};

class Checker {
 public:
  Checker(const std::vector<DsKey>& table, const std::string& file, Findings& findings)
      : file_(file), findings_(findings) {
    for (const auto& key : table) patterns_.push_back({split(key.path, '.'), &key});
  }

  // `off`: the section is switched off, or its use was already refused: only names and types count.
  void members(const JsonNode& object, const Components& path, const std::string& shown, bool off) {
    for (size_t i = 0; i < object.keys.size(); ++i) {
      Components here = path;
      here.push_back(object.keys[i]);
      const std::string name = (shown.empty() ? "" : shown + ".") + object.keys[i];
      if (const DsKey* key = find(here))
        member(object.items[i], *key, here, name, off);
      else
        problem(object.items[i], name, "unknown key" + nearest_sibling(path, object.keys[i]));
    }
  }

 private:
  const DsKey* find(const Components& path) const {
    const DsKey* best = nullptr;
    int best_fit = -1;
    for (const auto& pattern : patterns_) {
      if (pattern.parts.size() != path.size()) continue;
      const int now = fit(pattern.parts, path, path.size());
      if (now > best_fit) {
        best_fit = now;
        best = pattern.key;
      }
    }
    return best;
  }

  std::string nearest_sibling(const Components& path, const std::string& name) const {
    if (findings_.problems.size() >= kMaxSuggestions) return "";
    std::vector<std::string> siblings;
    for (const auto& pattern : patterns_)
      if (pattern.parts.size() == path.size() + 1 && fit(pattern.parts, path, path.size()) >= 0)
        siblings.push_back(pattern.parts.back());
    const std::string near = nearest(name, siblings);
    if (!near.empty()) return "; nearest: " + near;
    for (const auto& pattern : patterns_)
      if (pattern.parts.size() != path.size() + 1 && pattern.parts.back() == name)
        return "; there is " + std::string(pattern.key->path);
    return "";
  }

  void problem(const JsonNode& node, const std::string& subject, const std::string& why) {
    findings_.problems.push_back(where(file_, node) + ": " + subject + ": " + why);
  }

  void member(const JsonNode& node, const DsKey& key, const Components& path, const std::string& name, bool off) {
    if (node.is(Kind::kNull) || node.is_auto()) {
      row(node, key, name, off);
      return;
    }
    const auto types = split(key.type, '|');
    const auto has = [&](const char* type) { return std::find(types.begin(), types.end(), type) != types.end(); };
    if (has("section") && node.is(Kind::kObject)) {
      section(node, key, path, name, off);
    } else if (has("sections") && node.is(Kind::kList)) {
      list_of_sections(node, path, name, off);
    } else if (const std::string wrong = leaf_problem(node, types, key.allowed); !wrong.empty()) {
      problem(node, name + "=" + node.written(), wrong);
    } else {
      if (!off) refuse_if_needed(node, key, name);
      row(node, key, name, off);
    }
  }

  void section(const JsonNode& node, const DsKey& key, const Components& path, const std::string& name, bool off) {
    const std::string gate = key.allowed;
    if (!off && !gate.empty()) {
      const bool on = is_on(node, gate);
      if (on && key.answer == Answer::kLater) {
        const JsonNode* value = gate == "present" ? &node : node.at(gate);
        const std::string subject = gate == "present" ? name : name + "." + gate + "=" + value->written();
        problem(*value, subject, "not supported yet");
      }
      off = true;
    }
    members(node, path, name, off);
  }

  void list_of_sections(const JsonNode& node, Components path, const std::string& name, bool off) {
    path.push_back("[]");
    for (size_t i = 0; i < node.items.size(); ++i) {
      const std::string item = name + "[" + std::to_string(i) + "]";
      if (node.items[i].is(Kind::kObject))
        members(node.items[i], path, item, off);
      else
        problem(node.items[i], item + "=" + node.items[i].written(), "must be an object");
    }
  }

  static bool is_on(const JsonNode& section, const std::string& gate) {
    if (gate == "present") return true;
    const JsonNode* value = section.at(gate);
    if (value == nullptr) return false;
    return value->flag || (gate == "device" && value->is(Kind::kText) && !value->is_auto() && value->text != "none");
  }

  static std::string leaf_problem(const JsonNode& node, const std::vector<std::string>& types, const char* rule) {
    std::string wrong;
    for (const auto& type : types) {
      wrong = leaf_problem(node, type, rule);
      if (wrong.empty()) break;
    }
    return wrong;
  }

  static std::string leaf_problem(const JsonNode& node, const std::string& type, const char* rule) {
    if (type == "any") return "";
    if (type == "section") return "must be an object";
    if (type == "sections") return "must be a list of objects";
    if (type == "list") return node.is(Kind::kList) ? "" : "must be a list";
    if (type == "flag") return node.is(Kind::kFlag) ? "" : "must be true or false";
    if (type == "text") return node.is(Kind::kText) ? "" : "must be a text";
    if (type == "word") {
      if (!node.is(Kind::kText)) return "must be a text, " + in_words(rule).substr(5);
      return value_problem("word", rule, node.text);
    }
    const bool whole = type == "integer";
    const auto value = as_number(node);
    if (!value || (whole && !as_integer(node))) {
      const std::string of_text = node.is(Kind::kText) ? " (it is a text)" : "";
      return (whole ? "must be an integer" : "must be a number") + of_text;
    }
    return in_range(rule, *value) ? "" : in_words(rule);
  }

  static bool is_default(const JsonNode& node, const DsKey& key) {
    if (*key.fallback == 0) return false;
    const JsonNode fallback = read_json(key.fallback, "default");
    const auto number = as_number(node), other = as_number(fallback);
    if (number && other) return *number == *other;
    return same_value(node, fallback);
  }

  void refuse_if_needed(const JsonNode& node, const DsKey& key, const std::string& name) {
    if (key.answer != Answer::kLater && key.answer != Answer::kRemoved) return;
    if (is_default(node, key)) return;
    const std::string fallback = *key.fallback ? "; DeepSpeed's default is " + std::string(key.fallback) : "";
    const std::string why = key.answer == Answer::kLater ? "not supported yet" : "DeepSpeed refuses this value too";
    problem(node, name + "=" + node.written(), why + fallback);
  }

  void row(const JsonNode& node, const DsKey& key, const std::string& name, bool off) {
    if (node.is(Kind::kObject)) return;  // optimizer.params and the like have rows of their own
    std::string answer(name_of(key.answer));
    if (key.answer == Answer::kLater) answer = off ? "accepted without effect: section off" : "DeepSpeed's default";
    findings_.became(name, node.written(), where(file_, node), answer);
  }

  const std::string& file_;
  Findings& findings_;
  std::vector<Pattern> patterns_;
};

}  // namespace

void check_keys(const JsonNode& object, const std::string& prefix, const std::vector<DsKey>& table,
                const std::string& file, Findings& findings) {
  if (!object.is(Kind::kObject)) {
    findings.problems.push_back(where(file, object) + ": " + (prefix.empty() ? "" : prefix + "=") + object.written() +
                                ": must be an object");
    return;
  }
  Checker(table, file, findings).members(object, {}, prefix, false);
}

}  // namespace ds
