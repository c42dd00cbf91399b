#include "tests/perf/step_record.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ds::bench {

StepRecord& StepRecord::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ::ftruncate(file, sizeof(StepRecord)) != 0) throw std::system_error(errno, std::generic_category(), path);
  void* place = ::mmap(nullptr, sizeof(StepRecord), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (place == MAP_FAILED) throw std::system_error(errno, std::generic_category(), path);
  return *static_cast<StepRecord*>(place);
}

void StepRecord::step_ended(int rank) {
  pids.at(static_cast<size_t>(rank)) = ::getpid();
  const int64_t count = steps;
  if (rank != 0 || count >= kMaxSteps) return;
  ends[static_cast<size_t>(count)] = monotonic_seconds();
  steps = count + 1;
}

double monotonic_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace ds::bench
