#include "agent/authentication.h"

#include <sys/random.h>

#include "agent/message_mac.h"
#include "topology/base/error.h"

namespace ds {

static constexpr std::string_view kGreeting = "dslaunch";

std::string random_bytes(size_t count) {
  std::string bytes(count, '\0');
  size_t have = 0;
  while (have < count) {
    const ssize_t got = getrandom(bytes.data() + have, count - have, 0);
    if (got < 0) throw Error(ErrorCode::kInternal, "authentication: the system gives no random bytes");
    have += static_cast<size_t>(got);
  }
  return bytes;
}

Authentication::Authentication(ChannelRole role, std::string key, std::string nonce)
    : role_(role), key_(std::move(key)) {
  (role == ChannelRole::kLauncher ? launcher_nonce_ : agent_nonce_) = std::move(nonce);
}

std::string Authentication::opening() const {
  return role_ == ChannelRole::kLauncher ? std::string(kGreeting) + launcher_nonce_ : std::string();
}

size_t Authentication::bytes_needed() const {
  if (role_ == ChannelRole::kLauncher) return steps_done_ == 0 ? kNonceBytes + kMacBytes : 0;
  if (steps_done_ == 0) return kGreeting.size() + kNonceBytes;
  return steps_done_ == 1 ? kMacBytes : 0;
}

std::string Authentication::proof(std::string_view who) const {
  return hmac_sha256(key_, std::string(who) + '\0' + launcher_nonce_ + agent_nonce_);
}

std::string Authentication::step(std::string_view message) {
  auto answer = role_ == ChannelRole::kLauncher ? step_of_launcher(message) : step_of_agent(message);
  ++steps_done_;
  return answer;
}

std::string Authentication::step_of_launcher(std::string_view message) {
  agent_nonce_ = message.substr(0, kNonceBytes);
  if (!equal_in_constant_time(message.substr(kNonceBytes), proof("agent proves")))
    throw Error(ErrorCode::kCorrupt, "authentication: the other side does not know the key of this job");
  return proof("launcher proves");
}

std::string Authentication::step_of_agent(std::string_view message) {
  if (steps_done_ == 0) {
    if (!message.starts_with(kGreeting))
      throw Error(ErrorCode::kCorrupt, "authentication: the other side is not a dslaunch launcher");
    launcher_nonce_ = message.substr(kGreeting.size());
    return agent_nonce_ + proof("agent proves");
  }
  if (!equal_in_constant_time(message, proof("launcher proves")))
    throw Error(ErrorCode::kCorrupt, "authentication: the launcher does not know the key of this job");
  return {};
}

std::string Authentication::sending_key() const {
  return proof(role_ == ChannelRole::kLauncher ? "frames to agent" : "frames to launcher");
}

std::string Authentication::receiving_key() const {
  return proof(role_ == ChannelRole::kLauncher ? "frames to launcher" : "frames to agent");
}

}  // namespace ds
