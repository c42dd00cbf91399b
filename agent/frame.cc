#include "agent/frame.h"

#include "agent/channel.h"
#include "topology/base/error.h"

namespace ds {

static constexpr size_t kLengthBytes = 4;
static constexpr size_t kKeptBytes = 1u << 20;  // of frames that were taken already

static void append_little_endian(std::string& text, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
}

static uint32_t read_length(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) value |= uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

static std::string mac_of(const MessageMac& mac, uint64_t number, std::string_view payload) {
  std::string head;
  append_little_endian(head, number, 8);
  append_little_endian(head, payload.size(), 8);
  return mac.of({head, payload});
}

FrameWriter::FrameWriter(std::string_view key) {
  if (!key.empty()) mac_.emplace(key);
}

std::string FrameWriter::frame(std::string_view payload) {
  if (payload.size() > kMaxFrameBytes)
    throw Error(ErrorCode::kInternal, "frame: too large: bytes=" + std::to_string(payload.size()) + ": at most " +
                                          std::to_string(kMaxFrameBytes));
  std::string bytes;
  bytes.reserve(kLengthBytes + payload.size() + kMacBytes);
  append_little_endian(bytes, payload.size(), kLengthBytes);
  bytes += payload;
  if (mac_) bytes += mac_of(*mac_, number_, payload);
  ++number_;
  return bytes;
}

FrameReader::FrameReader(std::string_view key) {
  if (!key.empty()) mac_.emplace(key);
}

std::optional<std::string> FrameReader::next() {
  const std::string_view rest = std::string_view(buffer_).substr(start_);
  if (rest.size() < kLengthBytes) return std::nullopt;
  const uint32_t length = read_length(rest);
  if (length > kMaxFrameBytes)
    throw Error(ErrorCode::kCorrupt, "frame: length=" + std::to_string(length) + ": at most " +
                                         std::to_string(kMaxFrameBytes) + " is allowed");
  const size_t mac_bytes = mac_ ? kMacBytes : 0;
  if (rest.size() < kLengthBytes + length + mac_bytes) return std::nullopt;
  std::string payload(rest.substr(kLengthBytes, length));
  if (mac_ && !equal_in_constant_time(rest.substr(kLengthBytes + length, kMacBytes), mac_of(*mac_, number_, payload)))
    throw Error(ErrorCode::kCorrupt,
                "frame: number=" + std::to_string(number_) + ": wrong MAC: damaged, repeated or not from this job");
  ++number_;
  start_ += kLengthBytes + length + mac_bytes;
  drop_consumed();
  return payload;
}

void FrameReader::drop_consumed() {
  if (start_ != buffer_.size() && start_ <= kKeptBytes) return;
  buffer_.erase(0, start_);
  start_ = 0;
}

}  // namespace ds
