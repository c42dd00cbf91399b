#include "collectives/exchange/stream_set.h"

#include <algorithm>

namespace ds {

std::vector<int> StreamSet::missing() const {
  std::vector<int> silent, unfinished, deaf;
  for (const auto& stream : in) {
    if (stream->complete()) continue;
    (stream->begun() ? unfinished : silent).push_back(stream->peer());
  }
  for (const OutStream& stream : out)
    if (!stream.complete()) deaf.push_back(stream.peer());
  std::vector<int>& answer = !silent.empty() ? silent : !unfinished.empty() ? unfinished : deaf;
  std::sort(answer.begin(), answer.end());
  return answer;
}

void in_rotated_order(const Group& group, const std::function<void(int, int)>& with) {
  const int size = group.size(), rank = group.rank();
  for (int distance = 1; distance < size; ++distance)
    with((rank + distance) % size, (rank + size - distance) % size);
}

}  // namespace ds
