#include "agent/message_mac.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "topology/base/error.h"

namespace ds {
namespace {

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

void check_openssl(bool fine) {
  if (!fine) throw Error(ErrorCode::kInternal, "frame: HMAC-SHA256 is not available");
}

}  // namespace

void MessageMac::Free::operator()(evp_mac_ctx_st* context) const { EVP_MAC_CTX_free(context); }

MessageMac::MessageMac(std::string_view key) {
  EVP_MAC* method = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  context_.reset(EVP_MAC_CTX_new(method));  // holds the method from here on
  EVP_MAC_free(method);
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                   OSSL_PARAM_construct_end()};
  check_openssl(context_ && EVP_MAC_init(context_.get(), bytes_of(key), key.size(), parameters) == 1);
}

std::string MessageMac::of(std::initializer_list<std::string_view> parts) const {
  bool fine = EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1;  // the same key, from the start
  for (const std::string_view part : parts)
    fine = fine && EVP_MAC_update(context_.get(), bytes_of(part), part.size()) == 1;
  std::string mac(kMacBytes, '\0');
  size_t length = 0;
  fine = fine && EVP_MAC_final(context_.get(), reinterpret_cast<unsigned char*>(mac.data()), &length, mac.size()) == 1;
  check_openssl(fine && length == kMacBytes);
  return mac;
}

std::string hmac_sha256(std::string_view key, std::string_view data) { return MessageMac(key).of({data}); }

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace ds
