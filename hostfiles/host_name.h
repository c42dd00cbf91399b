// Host names and addresses as text: what is allowed, which spellings mean the same host.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ds {

// Letters, digits, '.', '-', '_' (not '-' first), or an IPv6 address, zone allowed ("fe80::1%eth0").
bool is_host_name(std::string_view name);
bool is_ipv6_address(std::string_view text);

// A login name that cannot be taken for an option or a second host.
bool is_user_name(std::string_view name);

// The same text for every spelling of one host that can be told without asking the network: lower case, no final dot,
// "localhost" for all loopback names and addresses.
std::string host_identity(std::string_view name);

// One host as written in hostfiles and -H: "[user@]name", "name:4", "name:*", "[v6]", "[v6]:tail"; a bare IPv6 address
// has no tail. The name is not checked here and may be a range.
struct WrittenHost {
  std::string user, name;
  std::optional<std::string> tail{};  // what follows the colon
  bool bracketed = false;           // written as "[address]"
};
WrittenHost split_written_host(std::string_view text);

// Text of the user as it may stand in a message: control and non-ASCII bytes as \xNN, long text cut.
std::string quote(std::string_view text);

}  // namespace ds
