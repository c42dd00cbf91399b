#include "agent/stranger_log.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "topology/base/text.h"

namespace ds {

std::string StrangerLog::refused(const std::string& host, const std::string& peer, const std::string& reason,
                                 Clock::time_point now) {
  if (!end_) end_ = now + length_;
  const auto known = counted_.find(host);
  if (known != counted_.end()) {
    ++known->second;
    return "";
  }
  if (counted_.size() >= kHosts) {
    ++counted_elsewhere_;
    return "";
  }
  const bool told = lines_ < kLines;
  counted_[host] = told ? 0 : 1;
  if (!told) return "";
  ++lines_;
  return "refused a connection from " + peer + ": " + reason;
}

std::string StrangerLog::end_period(Clock::time_point now) {
  const std::string text = counted_text();
  length_ = text.empty() ? kShortest : std::min(2 * length_, kLongest);
  end_ = text.empty() ? std::nullopt : std::optional(now + length_);
  counted_.clear();
  lines_ = counted_elsewhere_ = 0;
  return text;
}

std::string StrangerLog::counted_text() const {
  std::vector<std::pair<size_t, std::string>> most;
  size_t total = counted_elsewhere_;
  for (const auto& [host, count] : counted_) {
    total += count;
    if (count) most.emplace_back(count, host);
  }
  if (total == 0) return "";
  std::sort(most.rbegin(), most.rend());
  std::vector<std::string> parts;
  for (size_t i = 0; i < most.size() && i < kLines; ++i)
    parts.push_back(most[i].second + " (" + std::to_string(most[i].first) + ")");
  return "refused " + std::to_string(total) + " more connections, from " + join(parts, ", ") +
         (most.size() > kLines || counted_elsewhere_ ? " and others" : "");
}

}  // namespace ds
