// Checks a DeepSpeed JSON, or one section of it, against a table of keys: unknown keys, types, ranges, keys whose
// feature does not exist here yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/ds_key.h"
#include "engine/config/findings.h"
#include "engine/config/json_node.h"

namespace ds {

// Adds problems ("FILE:LINE: path=value: what is wrong") and one row per given key. `prefix` is the path of `object` in
// the file ("" for the root); the table's paths are relative to it.
void check_keys(const JsonNode& object, const std::string& prefix, const std::vector<DsKey>& table,
                const std::string& file, Findings& findings);

// "ds_config.json:12"
std::string where(const std::string& file, const JsonNode& node);

// A node as a value; numbers may also be written as text ("5e8"), integers as whole floats (5e8). nullopt when it is
// none, null, or "auto".
std::optional<double> as_number(const JsonNode& node);
std::optional<int64_t> as_integer(const JsonNode& node);
std::optional<bool> as_flag(const JsonNode& node);
std::optional<std::string> as_word(const JsonNode& node);

}  // namespace ds
