// Reads one JSON object of a topology file key by key; every problem is noted with the path of the value.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ds {

class ObjectReader {
 public:
  using Json = nlohmann::ordered_json;

  // Notes it when `json` is no object, and every key that is not in `keys`. All three are borrowed.
  ObjectReader(const Json& json, std::string path, const std::vector<std::string>& keys,
               std::vector<std::string>& problems);

  const Json* find(const std::string& key) const;  // nullptr when it is not there
  std::string path(const std::string& key) const { return path_ + (key.empty() ? "" : "." + key); }
  void refuse(const std::string& key, const std::string& cause);

  // What is not there is empty; a wrong value is noted and empty too.
  std::string text(const std::string& key);
  std::vector<std::string> texts(const std::string& key);
  bool flag(const std::string& key, bool otherwise);
  std::optional<int> number(const std::string& key, int most);
  std::vector<int> numbers(const std::string& key, int least, int most);
  std::optional<double> amount(const std::string& key);  // more than 0
  uint64_t bytes(const std::string& key);

  // A place for each of `count` things, or a number of places that share them evenly. -1 = unknown, where `gaps` allows it.
  std::vector<int> places(const std::string& key, size_t count, const std::string& things, bool gaps);

  std::vector<std::string>& problems() { return problems_; }

 private:
  const Json& json_;
  std::string path_;
  std::vector<std::string>& problems_;
};

bool is_whole_number(const nlohmann::ordered_json& value, int64_t least, int64_t most);

}  // namespace ds
