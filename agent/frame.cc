#include "agent/frame.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "agent/channel.h"
#include "topology/base/error.h"

namespace ds {

static constexpr size_t kLengthBytes = 4;

std::string hmac_sha256(std::string_view key, std::string_view data) {
  std::string mac(kMacBytes, '\0');
  unsigned int length = 0;
  const auto* result =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(data.data()),
           data.size(), reinterpret_cast<unsigned char*>(mac.data()), &length);
  if (!result || length != kMacBytes) throw Error(ErrorCode::kInternal, "frame: HMAC-SHA256 is not available");
  return mac;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

static void append_little_endian(std::string& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

static uint32_t read_length(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) value |= uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

static std::string mac_of(const std::string& key, uint64_t number, std::string_view payload) {
  std::string covered;
  covered.reserve(16 + payload.size());
  append_little_endian(covered, number, 8);
  append_little_endian(covered, payload.size(), 8);
  covered += payload;
  return hmac_sha256(key, covered);
}

std::string FrameWriter::frame(std::string_view payload) {
  if (payload.size() > kMaxFrameBytes)
    throw Error(ErrorCode::kInternal, "frame: too large: bytes=" + std::to_string(payload.size()) + ": at most " +
                                          std::to_string(kMaxFrameBytes));
  std::string bytes;
  bytes.reserve(kLengthBytes + payload.size() + kMacBytes);
  append_little_endian(bytes, payload.size(), kLengthBytes);
  bytes += payload;
  if (!key_.empty()) bytes += mac_of(key_, number_, payload);
  ++number_;
  return bytes;
}

std::optional<std::string> FrameReader::next() {
  const std::string_view rest = std::string_view(buffer_).substr(start_);
  if (rest.size() < kLengthBytes) return std::nullopt;
  const uint32_t length = read_length(rest);
  if (length > kMaxFrameBytes)
    throw Error(ErrorCode::kCorrupt, "frame: length=" + std::to_string(length) + ": at most " +
                                         std::to_string(kMaxFrameBytes) + " is allowed");
  const size_t mac_bytes = key_.empty() ? 0 : kMacBytes;
  if (rest.size() < kLengthBytes + length + mac_bytes) return std::nullopt;
  std::string payload(rest.substr(kLengthBytes, length));
  if (mac_bytes &&
      !equal_in_constant_time(rest.substr(kLengthBytes + length, kMacBytes), mac_of(key_, number_, payload)))
    throw Error(ErrorCode::kCorrupt,
                "frame: number=" + std::to_string(number_) + ": wrong MAC: damaged, repeated or not from this job");
  ++number_;
  start_ += kLengthBytes + length + mac_bytes;
  if (start_ == buffer_.size() || start_ > (1u << 20)) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  return payload;
}

}  // namespace ds
