// Numeric IPv4 and IPv6 addresses and networks, as text and as bytes. Pure.
#pragma once

#include <string>

namespace ds {

// The 4 or 16 bytes of a numeric address, a zone ignored; empty for anything else.
std::string address_bytes(const std::string& address);

// "10.1.2.3" in "10.0.0.0/8"; false for anything malformed. IPv4 and IPv6.
bool in_network(const std::string& address, const std::string& network);

}  // namespace ds
