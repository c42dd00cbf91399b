// A secret on its way over a channel whose frames are authenticated but can be read: AES-256-GCM (NIST SP 800-38D) under
// a key derived from the channel's own.
#pragma once

#include <string>

namespace ds {

std::string seal(const std::string& key, const std::string& secret);
std::string unseal(const std::string& key, const std::string& sealed);  // throws kCorrupt: another key, or changed

}  // namespace ds
