// HMAC-SHA256 of many short messages under one key: the key is set up once.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

struct evp_mac_ctx_st;  // OpenSSL's EVP_MAC_CTX

namespace ds {

inline constexpr size_t kMacBytes = 32;

class MessageMac {
 public:
  explicit MessageMac(std::string_view key);  // throws kInternal when OpenSSL has no HMAC-SHA256

  std::string of(std::initializer_list<std::string_view> parts) const;  // 32 bytes over all parts, one after the other

 private:
  struct Free {
    void operator()(evp_mac_ctx_st* context) const;
  };
  std::unique_ptr<evp_mac_ctx_st, Free> context_;
};

std::string hmac_sha256(std::string_view key, std::string_view data);  // once
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace ds
