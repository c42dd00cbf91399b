// Bytes <-> frames: length, payload, MAC. Pure; docs/wire_protocol.md gives the layout.
//
// A MAC covers the number of the frame in its direction, so a frame that is repeated, left out or moved does not
// verify. An empty key means no MAC (socketpair to an own child).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/message_mac.h"

namespace ds {

class FrameWriter {
 public:
  explicit FrameWriter(std::string_view key);
  std::string frame(std::string_view payload);  // throws kInternal above kMaxFrameBytes

 private:
  std::optional<MessageMac> mac_;
  uint64_t number_ = 0;
};

class FrameReader {
 public:
  explicit FrameReader(std::string_view key);
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  std::optional<std::string> next();  // a payload, or nullopt until more bytes come; throws kCorrupt

 private:
  void drop_consumed();

  std::optional<MessageMac> mac_;
  std::string buffer_;
  size_t start_ = 0;
  uint64_t number_ = 0;
};

}  // namespace ds
