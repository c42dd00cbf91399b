// HMAC-SHA256 of many short messages under one key: the key is set up once.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace ds {

inline constexpr size_t kMacBytes = 32;

class MessageMac {
 public:
  explicit MessageMac(std::string_view key);
  ~MessageMac();
  MessageMac(MessageMac&&) noexcept;
  MessageMac& operator=(MessageMac&&) noexcept;

  std::string of(std::initializer_list<std::string_view> parts) const;  // 32 bytes over all parts, one after the other

 private:
  struct Start;
  std::unique_ptr<Start> start_;
};

std::string hmac_sha256(std::string_view key, std::string_view data);  // once
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace ds
