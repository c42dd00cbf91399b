// read_json: blanks out comments and trailing commas, then lets nlohmann's event parser build the tree while an
// iterator that counts characters tells where each value ends.
#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/config/json_node.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr size_t kMaxDepth = 100;

struct Place {
  int line = 1, column = 1;
};

Place place_of(const std::string& text, size_t offset) {
  offset = std::min(offset, text.size());
  Place place;
  for (size_t i = 0; i < offset; ++i) {
    if (text[i] == '\n') {
      ++place.line;
      place.column = 0;
    }
    ++place.column;
  }
  return place;
}

std::string at(const std::string& file, const Place& place) {
  return file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
}

[[noreturn]] void refuse(const std::string& file, const Place& place, const std::string& why) {
  throw Error(ErrorCode::kUsage, at(file, place) + why);
}

size_t end_of_string(const std::string& text, size_t i) {
  for (++i; i < text.size() && text[i] != '"'; ++i)
    if (text[i] == '\\') ++i;
  return std::min(i, text.size());
}

// Blanks the comment that starts at i, keeping line ends; returns its last position, or i when there is none.
size_t blank_comment(std::string& text, size_t i, const std::string& file) {
  if (i + 1 >= text.size() || (text[i + 1] != '/' && text[i + 1] != '*')) return i;
  const bool line_comment = text[i + 1] == '/';
  const size_t close = line_comment ? text.find('\n', i) : text.find("*/", i + 2);
  if (close == std::string::npos && !line_comment) refuse(file, place_of(text, i), "comment /* is never closed");
  const size_t end = close == std::string::npos ? text.size() : close + (line_comment ? 0 : 2);
  for (size_t k = i; k < end; ++k)
    if (text[k] != '\n') text[k] = ' ';
  return end - 1;
}

std::string without_extras(std::string text, const std::string& file) {
  if (text.starts_with("\xef\xbb\xbf")) text.replace(0, 3, "   ");
  size_t comma = std::string::npos;
  char before = 0;  // last character that counts
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '/') {
      i = blank_comment(text, i, file);
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(c))) continue;
    if ((c == '}' || c == ']') && comma != std::string::npos) text[comma] = ' ';
    const bool after_value = before != 0 && before != ',' && before != '[' && before != '{' && before != ':';
    comma = c == ',' && after_value ? i : std::string::npos;
    if (c == '"') i = end_of_string(text, i);
    before = c;
  }
  return text;
}

// Goes through a text and counts where it is.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  const char* at = nullptr;
  Place* here = nullptr;

  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    if (*at == '\n') {
      ++here->line;
      here->column = 0;
    }
    ++here->column;
    ++at;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
  bool operator!=(const CountingIterator& other) const { return at != other.at; }
};

class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  using Kind = JsonNode::Kind;
  TreeBuilder(const std::string& text, const std::string& file, const Place& here)
      : text_(text), file_(file), here_(here) {}

  bool null() override { return add(JsonNode{}); }
  bool boolean(bool value) override { return add({.kind = Kind::kFlag, .flag = value}); }
  bool number_integer(number_integer_t value) override { return integer(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<uint64_t>(INT64_MAX)) return integer(static_cast<int64_t>(value));
    return add({.kind = Kind::kNumber, .number = static_cast<double>(value)});
  }
  bool number_float(number_float_t value, const string_t&) override {
    return add({.kind = Kind::kNumber, .number = value});
  }
  bool string(string_t& value) override { return add({.kind = Kind::kText, .text = std::move(value)}); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Kind::kObject); }
  bool start_array(std::size_t) override { return open(Kind::kList); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    key_place_ = {here_.line, std::max(1, here_.column - static_cast<int>(name.size()) - 2)};
    const auto [first, added] = open_.back().line_of_key.emplace(name, key_place_.line);
    if (!added)
      repeated.push_back(at(file_, key_place_) + name + ": the key is repeated, first in line " +
                         std::to_string(first->second));
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    const std::string what = error.what();
    const size_t cut = what.find(": ");
    refuse(file_, place_of(text_, position == 0 ? 0 : position - 1),
           "not valid JSON: " + (cut == std::string::npos ? what : what.substr(cut + 2)));
  }

  JsonNode root;
  std::vector<std::string> repeated;

 private:
  struct Open {
    JsonNode* node;  // the last element of its parent: never moved while open
    std::map<std::string, int> line_of_key;
  };

  bool integer(int64_t value) {
    return add({.kind = Kind::kInteger, .integer = value, .number = static_cast<double>(value)});
  }

  bool add(JsonNode node) {
    place(std::move(node));
    return true;
  }

  JsonNode* place(JsonNode node) {
    const bool member = !open_.empty() && open_.back().node->is(Kind::kObject);
    node.line = member ? key_place_.line : here_.line;
    node.column = member ? key_place_.column : here_.column;
    if (open_.empty()) return &(root = std::move(node));
    JsonNode& parent = *open_.back().node;
    if (member) parent.keys.push_back(key_);
    parent.items.push_back(std::move(node));
    return &parent.items.back();
  }

  bool open(Kind kind) {
    if (open_.size() >= kMaxDepth) refuse(file_, here_, "nested deeper than " + std::to_string(kMaxDepth));
    open_.push_back({place({.kind = kind}), {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string& text_;
  const std::string& file_;
  const Place& here_;
  std::vector<Open> open_;
  std::string key_;
  Place key_place_;
};

}  // namespace

JsonNode read_json(const std::string& text, const std::string& file) {
  const std::string plain = without_extras(text, file);
  Place here;
  TreeBuilder builder(plain, file, here);
  if (trim(plain).empty()) refuse(file, place_of(plain, plain.size()), "the file is empty, a JSON object is needed");
  nlohmann::json::sax_parse(CountingIterator{plain.data(), &here},
                            CountingIterator{plain.data() + plain.size(), &here}, &builder);
  throw_if_any("", builder.repeated);
  return std::move(builder.root);
}

}  // namespace ds
