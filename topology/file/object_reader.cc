#include "topology/file/object_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "topology/base/text.h"
#include "topology/cpu_list.h"

namespace ds {

bool is_whole_number(const nlohmann::ordered_json& value, int64_t least, int64_t most) {
  return value.is_number_integer() && value >= least && value <= most;
}

ObjectReader::ObjectReader(const Json& json, std::string path, const std::vector<std::string>& keys,
                           std::vector<std::string>& problems)
    : json_(json), path_(std::move(path)), problems_(problems) {
  if (!json_.is_object()) {
    refuse("", "must be an object");
    return;
  }
  for (const auto& [key, value] : json_.items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const std::string near = nearest(key, keys);
    refuse("", "unknown key '" + key + "'" + (near.empty() ? "" : ", did you mean '" + near + "'?") +
                   " (known: " + join(keys, ", ") + ")");
  }
}

const ObjectReader::Json* ObjectReader::find(const std::string& key) const {
  if (!json_.is_object()) return nullptr;
  const auto found = json_.find(key);
  return found == json_.end() ? nullptr : &*found;
}

void ObjectReader::refuse(const std::string& key, const std::string& cause) {
  problems_.push_back(path(key) + ": " + cause);
}

std::string ObjectReader::text(const std::string& key) {
  const Json* value = find(key);
  if (!value) return "";
  if (value->is_string()) return value->get<std::string>();
  refuse(key, "must be a text");
  return "";
}

std::vector<std::string> ObjectReader::texts(const std::string& key) {
  const Json* value = find(key);
  std::vector<std::string> result;
  if (!value) return result;
  const bool ok =
      value->is_array() && std::all_of(value->begin(), value->end(), [](const Json& item) { return item.is_string(); });
  if (!ok) return refuse(key, "must be a list of texts"), result;
  for (const Json& item : *value) result.push_back(item.get<std::string>());
  return result;
}

bool ObjectReader::flag(const std::string& key, bool otherwise) {
  const Json* value = find(key);
  if (!value) return otherwise;
  if (value->is_boolean()) return value->get<bool>();
  refuse(key, "must be true or false, is " + value->dump());
  return otherwise;
}

std::optional<int> ObjectReader::number(const std::string& key, int most) {
  const Json* value = find(key);
  if (!value || value->is_null()) return std::nullopt;
  if (is_whole_number(*value, 0, most)) return value->get<int>();
  refuse(key, "must be a whole number from 0 to " + std::to_string(most) + ", is " + value->dump());
  return std::nullopt;
}

std::vector<int> ObjectReader::numbers(const std::string& key, int least, int most) {
  const Json* value = find(key);
  std::vector<int> result;
  if (!value) return result;
  const bool ok = value->is_array() && std::all_of(value->begin(), value->end(), [&](const Json& item) {
                    return is_whole_number(item, least, most);
                  });
  if (!ok)
    return refuse(key, "must be a list of whole numbers from " + std::to_string(least) + " to " + std::to_string(most)),
           result;
  for (const Json& item : *value) result.push_back(item.get<int>());
  return result;
}

std::optional<double> ObjectReader::amount(const std::string& key) {
  const Json* value = find(key);
  if (!value) return std::nullopt;
  const bool ok = value->is_number() && *value > 0 && *value <= 1e9;
  if (ok) return value->get<double>();
  refuse(key, "must be a number above 0 and at most 1e9, is " + value->dump());
  return std::nullopt;
}

uint64_t ObjectReader::bytes(const std::string& key) {
  const Json* value = find(key);
  if (!value) return 0;
  if (is_whole_number(*value, 0, std::numeric_limits<int64_t>::max())) return value->get<uint64_t>();
  refuse(key, "must be a whole number, is " + value->dump());
  return 0;
}

std::vector<int> ObjectReader::places(const std::string& key, size_t count, const std::string& things, bool gaps) {
  const Json* value = find(key);
  if (!value || value->is_array()) {
    std::vector<int> result = numbers(key, gaps ? -1 : 0, kMaxCpu);
    if (!result.empty() && result.size() != count)
      refuse(key, "must have one number for each of the " + std::to_string(count) + " " + things);
    return result;
  }
  std::vector<int> result(count);
  const bool fits = is_whole_number(*value, 1, kMaxCpu) && count % value->get<size_t>() == 0;
  if (!fits)
    return refuse(key, "must be a list, or a number that divides the " + std::to_string(count) + " " + things), result;
  for (size_t i = 0; i < count; ++i) result[i] = static_cast<int>(i / (count / value->get<size_t>()));
  return result;
}

}  // namespace ds
