#include "agent/bootstrap.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "agent/job_folders.h"
#include "agent/proto/control.pb.h"
#include "topology/base/error.h"

namespace ds {

using Clock = std::chrono::steady_clock;
static constexpr uint32_t kMostBytes = 1u << 20;
static constexpr size_t kKeyBytes = 32;

std::string with_length(const std::string& body) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(body.size() >> (8 * i));
  return bytes + body;
}

std::string encode_bootstrap(const control::Bootstrap& bootstrap) { return with_length(bootstrap.SerializeAsString()); }

static std::string read_exactly(int fd, size_t count, Clock::time_point deadline) {
  std::string bytes(count, '\0');
  size_t have = 0;
  while (have < count) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{fd, POLLIN, 0};
    if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) == 0)
      throw Error(ErrorCode::kDeadline, "dsagent: the launcher sent no bootstrap message on stdin in time");
    const ssize_t n = read(fd, bytes.data() + have, count - have);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0)
      throw Error(ErrorCode::kUsage, "dsagent: stdin ended before the bootstrap message: dslaunch starts this program");
    have += static_cast<size_t>(n);
  }
  return bytes;
}

std::string read_with_length(int fd, std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  const std::string header = read_exactly(fd, 4, deadline);
  uint32_t length = 0;
  for (size_t i = 0; i < 4; ++i) length |= uint32_t{static_cast<unsigned char>(header[i])} << (8 * i);
  if (length == 0 || length > kMostBytes)
    throw Error(ErrorCode::kUsage, "dsagent: stdin does not hold a bootstrap message: dslaunch starts this program");
  return read_exactly(fd, length, deadline);
}

control::Bootstrap read_bootstrap(int fd, std::chrono::milliseconds limit) {
  control::Bootstrap bootstrap;
  if (!bootstrap.ParseFromString(read_with_length(fd, limit)))
    throw Error(ErrorCode::kUsage, "dsagent: the bootstrap message on stdin is damaged");
  if (!valid_job_id(bootstrap.job()))
    throw Error(ErrorCode::kUsage,
                "dsagent: job=" + bootstrap.job() + ": only letters, digits, '.', '_' and '-' are allowed");
  if (bootstrap.key().size() != kKeyBytes)
    throw Error(ErrorCode::kUsage, "dsagent: the key of the job must have 32 bytes");
  return bootstrap;
}

static std::string short_name(const std::string& name) { return name.substr(0, name.find('.')); }

std::optional<uint32_t> find_own_index(const control::Bootstrap& bootstrap, const std::string& host_name) {
  for (const bool shortened : {false, true}) {
    std::optional<uint32_t> found;
    int matches = 0;
    for (int i = 0; i < bootstrap.host_names_size(); ++i) {
      const auto& name = bootstrap.host_names(i);
      if (shortened ? short_name(name) != short_name(host_name) : name != host_name) continue;
      found = static_cast<uint32_t>(i);
      ++matches;
    }
    if (matches == 1) return found;
  }
  return std::nullopt;
}

}  // namespace ds
