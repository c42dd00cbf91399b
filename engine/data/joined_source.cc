#include "engine/data/joined_source.h"

#include <algorithm>
#include <utility>

namespace ds {

JoinedSource::JoinedSource(std::vector<std::unique_ptr<TokenSource>> sources) : sources_(std::move(sources)) {
  starts_.push_back(0);
  for (const auto& source : sources_) starts_.push_back(starts_.back() + source->size());
}

size_t JoinedSource::source_at(int64_t offset) const {
  return static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin()) - 1;
}

void JoinedSource::read(int64_t offset, int64_t count, int64_t* out) const {
  for (size_t which = count > 0 ? source_at(offset) : 0; count > 0; ++which) {
    const int64_t taken = std::min(count, starts_[which + 1] - offset);
    sources_[which]->read(offset - starts_[which], taken, out);
    offset += taken;
    count -= taken;
    out += taken;
  }
}

std::string JoinedSource::fingerprint() const {
  std::string text;
  for (const auto& source : sources_) text += (text.empty() ? "" : "+") + source->fingerprint();
  return text;
}

std::string JoinedSource::describe() const {
  return sources_.front()->describe() + " … " + sources_.back()->describe() + " (" + std::to_string(sources_.size()) +
         " files)";
}

std::string JoinedSource::locate(int64_t offset) const {
  const size_t which = source_at(offset);
  return sources_[which]->locate(offset - starts_[which]);
}

}  // namespace ds
