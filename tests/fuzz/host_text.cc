#include "tests/fuzz/host_text.h"

namespace ds::fuzz {

static std::string setting(const char* key, const std::optional<int>& value) {
  return value ? std::string(" ") + key + "=" + std::to_string(*value) : "";
}

std::string hostfile_text(const Cluster& cluster) {
  std::string text;
  for (const Host& host : cluster.hosts) {
    text += host.name + setting("slots", host.slots) + setting("max_slots", host.max_slots);
    if (host.port) text += setting("port", host.port);
    if (!host.user.empty()) text += " user=" + host.user;
    text += "\n";
  }
  return text;
}

std::string host_option_text(const Cluster& cluster) {
  std::string text;
  for (const Host& host : cluster.hosts) {
    const bool address = host.name.find(':') != std::string::npos;
    text += (text.empty() ? "" : ",") + (host.user.empty() ? "" : host.user + "@");
    text += (address ? "[" + host.name + "]:" : host.name + ":") + (host.slots ? std::to_string(*host.slots) : "*");
  }
  return text;
}

}  // namespace ds::fuzz
