#include "launcher/control/control_port.h"

#include "agent/channel.h"
#include "agent/event_loop.h"
#include "agent/peer_address.h"
#include "agent/proto/control.pb.h"
#include "agent/listener.h"
#include "topology/base/error.h"

namespace ds {

using std::chrono::steady_clock;

static std::unique_ptr<Listener> listen(boost::asio::io_context& io, const ControlPortOptions& options,
                                        const std::function<void(int)>& accept) {
  if (options.own_port) {
    try {
      return std::make_unique<Listener>(io, options.loopback_only, std::pair(*options.own_port, *options.own_port),
                                        accept);
    } catch (const Error&) {  // somebody else has it by now
    }
  }
  return std::make_unique<Listener>(io, options.loopback_only, options.ports, accept);
}

ControlPort::ControlPort(boost::asio::io_context& io, ControlPortOptions options, ControlPortEvents events)
    : io_(io),
      options_(std::move(options)),
      events_(std::move(events)),
      pending_(options_.pending_limit),
      log_timer_(std::make_unique<Timer>(io)),
      listener_(listen(io, options_, [this](int fd) { accept(fd); })) {}

ControlPort::~ControlPort() {
  for (auto& [id, guest] : guests_) guest.channel->close();
}

int ControlPort::port() const { return listener_->port(); }

void ControlPort::adopt(int read_fd, int write_fd) {
  open(next_id_++, {Channel::create(io_, read_fd, write_fd, ChannelRole::kLauncher, options_.key), ""});
}

void ControlPort::accept(int fd) {
  uint64_t id = next_id_++;
  Guest guest{Channel::create(io_, fd, fd, ChannelRole::kLauncher, options_.key), peer_address(fd).host};
  std::optional<uint64_t> out = pending_.add(id, guest.host);
  open(id, std::move(guest));
  if (out) push_out(*out);
}

void ControlPort::open(uint64_t id, Guest guest) {
  std::shared_ptr<Channel> channel = guest.channel;
  guests_[id] = std::move(guest);
  auto host = std::make_shared<std::optional<int>>();  // that the connection speaks for
  channel->start(
      [this, id, host](const control::Envelope& message) {
        if (*host) events_.on_message(**host, message);
        else *host = first_words(id, message);
      },
      [this, id, host](const std::string& reason) {
        if (*host) events_.on_closed(**host, reason);
        else closed(id, reason);
      });
}

std::optional<int> ControlPort::first_words(uint64_t id, const control::Envelope& message) {
  pending_.remove(id);
  std::shared_ptr<Channel> channel = guests_.at(id).channel;
  if (message.has_request()) events_.on_request(channel, message.request());
  if (!message.has_hello()) return std::nullopt;
  std::optional<int> host = events_.on_hello(channel, message.hello());
  if (host) guests_.erase(id);
  return host;
}

void ControlPort::closed(uint64_t id, const std::string& reason) {
  pending_.remove(id);
  auto found = guests_.find(id);
  if (found == guests_.end()) return;
  Guest guest = std::move(found->second);
  guests_.erase(found);
  if (!guest.channel->authenticated() || guest.channel->broke_protocol()) refused(guest, reason);
}

void ControlPort::push_out(uint64_t id) {
  auto found = guests_.find(id);
  if (found == guests_.end()) return;
  Guest guest = std::move(found->second);
  guests_.erase(found);
  guest.channel->close();
  refused(guest,
          "more than " + std::to_string(options_.pending_limit) + " connections have not proved to know the key");
}

void ControlPort::refused(const Guest& guest, const std::string& reason) {
  if (guest.host.empty()) return;  // its process tells
  bool first = !log_.period_end();
  std::string line = log_.refused(guest.host, guest.channel->peer(), reason, steady_clock::now());
  if (!line.empty()) events_.on_refused(line);
  if (first) log_timer_->after(*log_.period_end() - steady_clock::now(), [this] { tell_rest(); });
}

void ControlPort::tell_rest() {
  std::string line = log_.end_period(steady_clock::now());
  if (!line.empty()) events_.on_refused(line);
  if (auto end = log_.period_end()) log_timer_->after(*end - steady_clock::now(), [this] { tell_rest(); });
}

}  // namespace ds
