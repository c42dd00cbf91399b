#include "topology/numeric_address.h"

#include <arpa/inet.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "topology/base/text.h"

namespace ds {

std::string address_bytes(const std::string& text) {
  std::string plain = text.substr(0, text.find('%'));
  unsigned char bytes[16];
  if (::inet_pton(AF_INET, plain.c_str(), bytes) == 1) return std::string(reinterpret_cast<char*>(bytes), 4);
  if (::inet_pton(AF_INET6, plain.c_str(), bytes) == 1) return std::string(reinterpret_cast<char*>(bytes), 16);
  return "";
}

bool in_network(const std::string& address, const std::string& network) {
  size_t slash = network.find('/');
  if (slash == std::string::npos) return false;
  std::string a = address_bytes(address), b = address_bytes(network.substr(0, slash));
  std::optional<int64_t> bits = parse_int(network.substr(slash + 1));
  if (a.empty() || a.size() != b.size() || !bits || *bits < 0 || *bits > static_cast<int64_t>(a.size()) * 8)
    return false;
  for (int64_t bit = 0; bit < *bits; ++bit)
    if (((a[bit / 8] ^ b[bit / 8]) >> (7 - bit % 8)) & 1) return false;
  return true;
}

}  // namespace ds
