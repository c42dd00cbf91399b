// Values that the DeepSpeed JSON, [train] of train.cfg, both or neither may give: who wins, and what is told about it.
//
// A value in both places must agree; "auto" and absent mean "not given there".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/config/findings.h"
#include "engine/config/json_node.h"
#include "engine/config/train_config.h"

namespace ds {

class Choice {
 public:
  // Everything is borrowed. json_file: for messages.
  Choice(const TrainConfig& train, const JsonNode& json, const std::string& json_file, Findings& findings)
      : train_(train), json_(json), json_file_(json_file), findings_(findings) {}

  // The value given, nullopt when neither place has one. train_key may be "". Values of a wrong type count as not given:
  // they have been reported by then.
  std::optional<double> number(const std::string& json_path, const std::string& train_key = "");
  std::optional<int64_t> integer(const std::string& json_path, const std::string& train_key = "");
  std::optional<bool> flag(const std::string& json_path);
  std::optional<std::string> word(const std::string& json_path);

  // The same with a default that is recorded as such.
  double number(const std::string& json_path, const std::string& train_key, double fallback);

  // Records what a key that nobody gave became.
  void filled(const std::string& json_path, const std::string& value, const std::string& source);

  // Does the JSON hold anything there, be it wrong? Then it has been reported, and nothing is missing.
  bool given(const std::string& json_path) const;
  const JsonNode* node(const std::string& json_path) const { return json_.at(json_path); }
  std::string json_place(const std::string& json_path) const;       // "path=value (file:line)"
  std::string train_place(const std::string& train_key) const;      // "key=value (train.cfg:12)"
  std::string place(const std::string& json_path, const std::string& train_key) const;  // "file:line" of the one given
  const std::string& file() const;  // where a value is missing that neither place has
  // The text of a [train] key, or its documented default.
  std::string train_text(const std::string& key) const;
  bool has_train(const std::string& key) const { return train_.has(key); }
  const TrainConfig& train() const { return train_; }
  const std::string& json_file() const { return json_file_; }
  Findings& findings() { return findings_; }

 private:
  template <class T>
  std::optional<T> pick(const std::string& json_path, const std::string& train_key, std::optional<T> json,
                        std::optional<T> train);

  const TrainConfig& train_;
  const JsonNode& json_;
  const std::string& json_file_;
  Findings& findings_;
};

std::string number_text(double value);  // shortest text that reads back as the same number

}  // namespace ds
