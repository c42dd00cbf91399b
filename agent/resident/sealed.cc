#include "agent/resident/sealed.h"

#include <openssl/evp.h>

#include <memory>

#include "agent/authentication.h"
#include "agent/message_mac.h"
#include "topology/base/error.h"

namespace ds {
namespace {

constexpr size_t kNonce = 12, kTag = 16;

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

const unsigned char* bytes_of(const std::string& text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

std::string derived(const std::string& key) { return hmac_sha256(key, "dslaunch sealed stdin"); }

}  // namespace

std::string seal(const std::string& key, const std::string& secret) {
  const std::string own = derived(key), nonce = random_bytes(kNonce);
  std::string text(secret.size(), '\0'), tag(kTag, '\0');
  Context context(EVP_CIPHER_CTX_new());
  int n = 0;
  const bool fine =
      EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, bytes_of(own), bytes_of(nonce)) == 1 &&
      EVP_EncryptUpdate(context.get(), bytes_of(text), &n, bytes_of(secret), static_cast<int>(secret.size())) == 1 &&
      EVP_EncryptFinal_ex(context.get(), nullptr, &n) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTag, tag.data()) == 1;
  if (!fine) throw Error(ErrorCode::kInternal, "seal: AES-256-GCM is not available");
  return nonce + tag + text;
}

std::string unseal(const std::string& key, const std::string& sealed) {
  if (sealed.size() < kNonce + kTag) throw Error(ErrorCode::kCorrupt, "sealed message: too short");
  const std::string own = derived(key), nonce = sealed.substr(0, kNonce), text = sealed.substr(kNonce + kTag);
  std::string tag = sealed.substr(kNonce, kTag), secret(text.size(), '\0');
  Context context(EVP_CIPHER_CTX_new());
  int n = 0;
  const bool fine =
      EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, bytes_of(own), bytes_of(nonce)) == 1 &&
      EVP_DecryptUpdate(context.get(), bytes_of(secret), &n, bytes_of(text), static_cast<int>(text.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTag, tag.data()) == 1 &&
      EVP_DecryptFinal_ex(context.get(), nullptr, &n) == 1;
  if (!fine) throw Error(ErrorCode::kCorrupt, "sealed message: another key, or changed on its way");
  return secret;
}

}  // namespace ds
