#include "engine/config/findings.h"

namespace ds {

void Findings::became(const std::string& key, const std::string& value, const std::string& source,
                      const std::string& answer) {
  for (auto& row : rows) {
    if (row.key != key) continue;
    row.value = value;
    row.source = source;
    return;
  }
  rows.push_back({key, value, source, answer});
}

}  // namespace ds
