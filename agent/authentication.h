// Both ends of a channel prove that they know the key of the job before the first frame, and derive one MAC key per
// direction from it. Pure: bytes in, bytes out. docs/wire_protocol.md gives the messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "agent/channel.h"

namespace ds {

inline constexpr size_t kNonceBytes = 32;

std::string random_bytes(size_t count);

class Authentication {
 public:
  // `nonce`: kNonceBytes random bytes, never used before.
  Authentication(ChannelRole role, std::string key, std::string nonce);

  std::string opening() const;                 // what this side sends first; the agent sends nothing
  size_t bytes_needed() const;                 // length of the next message of the other side; 0 = done
  std::string step(std::string_view message);  // takes exactly that many bytes, returns the answer; throws kCorrupt
  bool done() const { return bytes_needed() == 0; }

  std::string sending_key() const;  // valid once done
  std::string receiving_key() const;

 private:
  std::string proof(std::string_view who) const;
  std::string step_of_launcher(std::string_view message);
  std::string step_of_agent(std::string_view message);

  ChannelRole role_;
  std::string key_;
  std::string launcher_nonce_, agent_nonce_;
  int steps_done_ = 0;
};

}  // namespace ds
