#include "hostfiles/host_name.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "topology/base/text.h"

namespace ds {
namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 253 && name[0] != '-' && std::all_of(name.begin(), name.end(), is_name_char);
}

bool is_loopback(const std::string& name) {
  if (name == "localhost" || name == "localhost.localdomain" || name == "ip6-localhost" || name == "ip6-loopback")
    return true;
  in_addr v4{};
  if (inet_pton(AF_INET, name.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, name.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace

bool is_ipv6_address(std::string_view text) {
  const auto zone = text.find('%');
  if (zone != std::string_view::npos && !is_plain_name(text.substr(zone + 1))) return false;
  in6_addr address{};
  return inet_pton(AF_INET6, std::string(text.substr(0, zone)).c_str(), &address) == 1;
}

bool is_host_name(std::string_view name) { return is_plain_name(name) || is_ipv6_address(name); }

bool is_user_name(std::string_view name) {
  const auto allowed = [](char c) { return is_name_char(c) || c == '+' || c == '$' || c == '\\'; };
  return !name.empty() && name.size() <= 256 && name[0] != '-' && std::all_of(name.begin(), name.end(), allowed);
}

std::string host_identity(std::string_view name) {
  std::string text = lower(name);
  if (text.size() > 1 && text.back() == '.') text.pop_back();
  if (is_loopback(text)) return "localhost";
  std::array<unsigned char, sizeof(in6_addr)> address{};
  std::array<char, INET6_ADDRSTRLEN> canonical{};
  if (inet_pton(AF_INET6, text.c_str(), address.data()) == 1 &&
      inet_ntop(AF_INET6, address.data(), canonical.data(), canonical.size()))
    return canonical.data();
  return text;
}

WrittenHost split_written_host(std::string_view text) {
  WrittenHost host;
  const auto at = text.find('@');
  if (at != std::string_view::npos) {
    host.user = text.substr(0, at);
    text.remove_prefix(at + 1);
  }
  const auto close = text.find(']');
  if (text.starts_with('[') && close != std::string_view::npos && is_ipv6_address(text.substr(1, close - 1))) {
    host.bracketed = true;
    host.name = text.substr(1, close - 1);
    text.remove_prefix(close + 1);
    if (text.starts_with(':')) host.tail = text.substr(1);
    else host.name += text;  // not a host name any more, so the check of names refuses it
    return host;
  }
  const auto colon = text.find(':');
  if (colon != std::string_view::npos && !is_ipv6_address(text)) host.tail = text.substr(colon + 1);
  host.name = host.tail ? text.substr(0, colon) : text;
  return host;
}

std::string quote(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr size_t kLongest = 80;
  std::string result = "'";
  for (char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) result += c;
    else result += std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15];
  }
  return result + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace ds
