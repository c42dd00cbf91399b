#include "engine/config/choice.h"

#include <charconv>

#include "engine/config/ds_check.h"
#include "engine/config/train_keys.h"
#include "topology/base/text.h"

namespace ds {

std::string number_text(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

static std::string text_of(double value) { return number_text(value); }
static std::string text_of(int64_t value) { return std::to_string(value); }

std::string Choice::json_place(const std::string& json_path) const {
  const JsonNode* node = json_.at(json_path);
  return node == nullptr ? json_path : json_path + "=" + node->written() + " (" + where(json_file_, *node) + ")";
}

std::string Choice::train_place(const std::string& train_key) const {
  const auto found = train_.values.find(train_key);
  if (found == train_.values.end()) return train_key;
  return train_key + "=" + found->second.text + " (" + found->second.where + ")";
}

bool Choice::given(const std::string& json_path) const {
  const JsonNode* node = &json_;
  for (const auto& key : split(json_path, '.')) {
    if (!node->is(JsonNode::Kind::kObject)) break;
    node = node->find(key);
    if (node == nullptr) return false;
  }
  return !node->is(JsonNode::Kind::kNull) && !node->is_auto();
}

std::string Choice::place(const std::string& json_path, const std::string& train_key) const {
  if (const JsonNode* node = json_.at(json_path); node != nullptr && given(json_path)) return where(json_file_, *node);
  return train_.has(train_key) ? train_.values.at(train_key).where : "";
}

const std::string& Choice::file() const {
  return train_.path.empty() || !train_.ds_config_path.empty() ? json_file_ : train_.path;
}

std::string Choice::train_text(const std::string& key) const {
  const TrainKey* row = find_train_key(key);
  return train_.text(key, row == nullptr ? "" : row->fallback);
}

void Choice::filled(const std::string& json_path, const std::string& value, const std::string& source) {
  findings_.became(json_path, value, source);
}

template <class T>
std::optional<T> Choice::pick(const std::string& json_path, const std::string& train_key, std::optional<T> json,
                              std::optional<T> train) {
  if (json && train && *json != *train)
    findings_.problems.push_back(json_place(json_path) + " contradicts " + train_place(train_key) +
                                 ": they must agree, or one of them be left out");
  if (json) return json;
  if (train) findings_.became(json_path, text_of(*train), train_.values.at(train_key).where);
  return train;
}

std::optional<double> Choice::number(const std::string& json_path, const std::string& train_key) {
  const JsonNode* node = json_.at(json_path);
  return pick<double>(json_path, train_key, node ? as_number(*node) : std::nullopt,
                      train_.has(train_key) ? parse_double(train_.text(train_key)) : std::nullopt);
}

std::optional<int64_t> Choice::integer(const std::string& json_path, const std::string& train_key) {
  const JsonNode* node = json_.at(json_path);
  return pick<int64_t>(json_path, train_key, node ? as_integer(*node) : std::nullopt,
                       train_.has(train_key) ? parse_int(train_.text(train_key)) : std::nullopt);
}

std::optional<bool> Choice::flag(const std::string& json_path) {
  const JsonNode* node = json_.at(json_path);
  return node ? as_flag(*node) : std::nullopt;
}

std::optional<std::string> Choice::word(const std::string& json_path) {
  const JsonNode* node = json_.at(json_path);
  return node ? as_word(*node) : std::nullopt;
}

double Choice::number(const std::string& json_path, const std::string& train_key, double fallback) {
  const auto given = number(json_path, train_key);
  if (!given) filled(json_path, number_text(fallback), "DeepSpeed's default");
  return given.value_or(fallback);
}

}  // namespace ds
