// JSON as people write it by hand -> a tree that remembers where each value stands, for error messages.
//
// Read: JSON with // and /* */ comments and trailing commas. Keys keep their order; a repeated key is an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ds {

struct JsonNode {
  enum class Kind { kNull, kFlag, kInteger, kNumber, kText, kList, kObject };
  Kind kind = Kind::kNull;
  bool flag = false;
  int64_t integer = 0;             // kInteger
  double number = 0;               // kInteger and kNumber
  std::string text = {};           // kText
  std::vector<JsonNode> items = {};  // kList: elements; kObject: values
  std::vector<std::string> keys = {};  // kObject: keys of `items`
  int line = 0, column = 0;        // 1-based: of the key in an object, else of the value

  bool is(Kind other) const { return kind == other; }
  bool is_auto() const { return kind == Kind::kText && text == "auto"; }
  // The member of that name; nullptr when there is none or this is no object.
  const JsonNode* find(std::string_view key) const;
  // The same through several objects: "zero_optimization.stage".
  const JsonNode* at(std::string_view dotted_path) const;
  std::string written() const;     // compact JSON
};

// Equal values, whatever their place: 1, 1.0 and 1e0 are equal; objects in any order of keys.
bool same_value(const JsonNode& a, const JsonNode& b);

// Throws one kUsage Error "FILE:LINE:COLUMN: …" for text that is not JSON, nested deeper than 100, or with repeated
// keys (all of those at once).
JsonNode read_json(const std::string& text, const std::string& file);

}  // namespace ds
