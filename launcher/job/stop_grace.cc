#include "launcher/job/stop_grace.h"

#include <algorithm>

namespace ds {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kTraining{30}, kProgram{1}, kLastWords{2};

milliseconds stop_grace(std::optional<double> given, bool training, std::optional<seconds> kill_wait) {
  milliseconds limit = training ? kTraining : kProgram;
  if (given) limit = milliseconds(static_cast<int64_t>(*given * 1000));
  if (kill_wait) limit = std::min<milliseconds>(limit, std::max(*kill_wait - kLastWords, seconds(0)));
  return limit;
}

}  // namespace ds
