// Who is at the other end of a connected descriptor.
#pragma once

#include <string>

namespace ds {

struct PeerAddress {
  std::string host;  // numeric: "10.0.0.7", "fe80::1%eth0"; "" where there is no network between the ends
  std::string text;  // for messages: "10.0.0.7:51234", "[fe80::1%eth0]:51234", "pipe"
};

PeerAddress peer_address(int fd);
PeerAddress own_address(int fd);  // this end

}  // namespace ds
