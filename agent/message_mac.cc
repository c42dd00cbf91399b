// RFC 2104 over OpenSSL's SHA-256. The functions used here are the old ones, on purpose: EVP_MAC brings the provider of
// OpenSSL with all its algorithms into every agent (2 MB), and costs several times as much for a short message.
#include "agent/message_mac.h"

#include <openssl/sha.h>

#include <array>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace ds {
namespace {

constexpr size_t kBlockBytes = SHA256_CBLOCK;
static_assert(kMacBytes == SHA256_DIGEST_LENGTH);

std::array<unsigned char, kBlockBytes> block_of(std::string_view key) {
  std::array<unsigned char, kBlockBytes> block{};
  if (key.size() > kBlockBytes)
    SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), block.data());
  else
    key.copy(reinterpret_cast<char*>(block.data()), key.size());
  return block;
}

// What is left when the key, mixed with a pad, has been taken in.
SHA256_CTX after(std::array<unsigned char, kBlockBytes> block, unsigned char pad) {
  for (unsigned char& byte : block) byte ^= pad;
  SHA256_CTX hash;
  SHA256_Init(&hash);
  SHA256_Update(&hash, block.data(), block.size());
  return hash;
}

}  // namespace

struct MessageMac::Start {
  SHA256_CTX inner, outer;
};

MessageMac::MessageMac(std::string_view key)
    : start_(new Start{after(block_of(key), 0x36), after(block_of(key), 0x5c)}) {}
MessageMac::~MessageMac() = default;
MessageMac::MessageMac(MessageMac&&) noexcept = default;
MessageMac& MessageMac::operator=(MessageMac&&) noexcept = default;

std::string MessageMac::of(std::initializer_list<std::string_view> parts) const {
  SHA256_CTX hash = start_->inner;
  for (const std::string_view part : parts) SHA256_Update(&hash, part.data(), part.size());
  std::string mac(kMacBytes, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(mac.data());
  SHA256_Final(bytes, &hash);
  hash = start_->outer;
  SHA256_Update(&hash, bytes, kMacBytes);
  SHA256_Final(bytes, &hash);
  return mac;
}

#pragma GCC diagnostic pop

std::string hmac_sha256(std::string_view key, std::string_view data) { return MessageMac(key).of({data}); }

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace ds
