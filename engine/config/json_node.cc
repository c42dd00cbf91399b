#include "engine/config/json_node.h"

#include <charconv>
#include <optional>

#include "topology/base/text.h"

namespace ds {

const JsonNode* JsonNode::find(std::string_view key) const {
  if (kind != Kind::kObject) return nullptr;
  for (size_t i = 0; i < keys.size(); ++i)
    if (keys[i] == key) return &items[i];
  return nullptr;
}

const JsonNode* JsonNode::at(std::string_view dotted_path) const {
  const JsonNode* node = this;
  for (const auto& key : split(dotted_path, '.')) {
    node = node->find(key);
    if (node == nullptr) return nullptr;
  }
  return node;
}

static std::string quoted(const std::string& text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += kHex[(c >> 4) & 15];
      out += kHex[c & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

static std::string shortest(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::string JsonNode::written() const {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kFlag:
      return flag ? "true" : "false";
    case Kind::kInteger:
      return std::to_string(integer);
    case Kind::kNumber:
      return shortest(number);
    case Kind::kText:
      return quoted(text);
    case Kind::kList:
    case Kind::kObject:
      break;
  }
  std::vector<std::string> parts;
  for (size_t i = 0; i < items.size(); ++i)
    parts.push_back((kind == Kind::kObject ? quoted(keys[i]) + ": " : "") + items[i].written());
  const std::string inner = join(parts, ", ");
  return kind == Kind::kObject ? "{" + inner + "}" : "[" + inner + "]";
}

static bool is_number(const JsonNode& node) {
  return node.is(JsonNode::Kind::kInteger) || node.is(JsonNode::Kind::kNumber);
}

bool same_value(const JsonNode& a, const JsonNode& b) {
  if (is_number(a) && is_number(b)) return a.number == b.number;
  if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
  if (a.kind == JsonNode::Kind::kFlag) return a.flag == b.flag;
  if (a.kind == JsonNode::Kind::kText) return a.text == b.text;
  for (size_t i = 0; i < a.items.size(); ++i) {
    const JsonNode* other = a.kind == JsonNode::Kind::kObject ? b.find(a.keys[i]) : &b.items[i];
    if (other == nullptr || !same_value(a.items[i], *other)) return false;
  }
  return true;
}

}  // namespace ds
