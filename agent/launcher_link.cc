#include "agent/launcher_link.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>
#include <vector>

#include "agent/channel.h"
#include "agent/proto/control.pb.h"

namespace ds {

using control::Envelope;
using std::chrono::milliseconds;
using LeaseClock = std::chrono::steady_clock;

static constexpr auto kDialLimit = milliseconds(3000);
static constexpr auto kRedialPause = milliseconds(200);
static constexpr auto kReturnPause = milliseconds(500);
static constexpr auto kStopped = milliseconds(1000);     // a timer that is so late: this process was stopped itself
static constexpr auto kSecondLook = milliseconds(3000);  // for an answer to what it sends when it goes on
static constexpr int kDials = 10;  // so often a connection may end before the Welcome
static constexpr uint32_t kDefaultLeaseMs = 20000, kDefaultBeatMs = 1000;

LauncherLink::LauncherLink(boost::asio::io_context& io, const control::Bootstrap& bootstrap,
                           const control::Hello& hello, Events events)
    : io_(io),
      bootstrap_(bootstrap),
      hello_(hello),
      events_(std::move(events)),
      lease_(LeaseClock::now(), milliseconds(bootstrap.lease_ms() ? bootstrap.lease_ms() : kDefaultLeaseMs)),
      dial_timer_(io),
      lease_timer_(io),
      beat_timer_(io) {}

void LauncherLink::run() {
  dial();
  watch_lease();
}

// ---- joining

void LauncherLink::dial() {
  const std::vector<std::string> addresses(bootstrap_.addresses().begin(), bootstrap_.addresses().end());
  ++dials_;
  dialer_.emplace(
      io_, addresses, static_cast<uint16_t>(bootstrap_.port()), kDialLimit,
      [this](FileDescriptor socket, const std::string& reasons) { dialed(std::move(socket), reasons); });
}

void LauncherLink::dialed(FileDescriptor socket, const std::string& reasons) {
  if (!socket && welcomed_) return dial_after(kReturnPause);
  if (!socket && dials_ > 1) return events_.on_gone("the launcher is gone: " + reasons);
  if (!socket) return use_standard_streams();
  dials_in_ = true;
  const int fd = socket.release();
  open(fd, fd);
  if (!welcomed_ && !life_line_) watch_life_line();
}

// Only the launcher can reach us, not we it: the frames take the way that brought the bootstrap.
void LauncherLink::use_standard_streams() {
  const std::string marker = "\n" + bootstrap_.marker() + "\n";
  if (write(STDOUT_FILENO, marker.data(), marker.size()) != static_cast<ssize_t>(marker.size()))
    return events_.on_gone("no address of the launcher answers, and stdout is closed");
  open(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
}

void LauncherLink::open(int read_fd, int write_fd) {
  channel_ = Channel::create(io_, read_fd, write_fd, ChannelRole::kAgent, bootstrap_.key());
  channel_->start([this](const Envelope& message) { take(message); },
                  [this](const std::string& reason) { closed(reason); });
  Envelope message;
  *message.mutable_hello() = hello_;
  channel_->send(message);
  answer_ns_ = 0;
  send_beat();
  events_.on_open(channel_);
}

void LauncherLink::take(const Envelope& message) {
  if (message.has_welcome()) welcomed_ = true;
  if (!message.has_beat_ack()) return events_.on_message(message);
  answer_ns_ = message.beat_ack().own_ns();
  const auto sent = LeaseClock::duration(static_cast<LeaseClock::rep>(message.beat_ack().time_ns()));
  lease_.acknowledged(LeaseClock::time_point(sent), LeaseClock::now());
}

// ---- contact

// Before the Welcome the launcher may only have had too many callers at once: it pushes out some that have not proved
// yet to know the key.
void LauncherLink::closed(const std::string& reason) {
  if (!welcomed_ && life_line_ && dials_ < kDials) return dial_after(kRedialPause);
  if (!bootstrap_.elastic()) return events_.on_gone("the launcher is gone: " + reason);
  events_.on_away();
  if (welcomed_ && dials_in_) dial_after(kReturnPause);
}

void LauncherLink::dial_after(milliseconds pause) {
  beat_timer_.cancel();
  dial_timer_.after(pause, [this] { dial(); });
}

void LauncherLink::watch_life_line() {
  if (!life_line_) life_line_.emplace(io_, STDIN_FILENO);
  life_line_->when_readable([this] {
    char bytes[256];
    const ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) return watch_life_line();
    life_line_.reset();
    if (!bootstrap_.elastic()) events_.on_gone("the launcher is gone (life line closed)");
  });
}

void LauncherLink::watch_lease() { look_at_lease_at(lease_.expires()); }

// A job that was stopped as a whole (scontrol suspend) goes on; an elastic one may have other ranks by now.
void LauncherLink::look_at_lease_at(LeaseClock::time_point due) {
  lease_timer_.after(due - LeaseClock::now(), [this, due] {
    const auto now = LeaseClock::now();
    if (!lease_.expired(now)) return watch_lease();
    if (!bootstrap_.elastic() && now - due > kStopped) return look_at_lease_at(now + kSecondLook);
    events_.on_gone("no answer from the launcher for " + std::to_string(lease_.silence(now).count()) + " ms");
  });
}

void LauncherLink::send_beat() {
  const auto now = LeaseClock::now();
  Envelope message;
  message.mutable_beat()->set_time_ns(static_cast<uint64_t>(now.time_since_epoch().count()));
  message.mutable_beat()->set_wants_answer(lease_.wants_renewal(now));
  message.mutable_beat()->set_answer_ns(answer_ns_);
  channel_->send(message);
  beat_timer_.at_next(milliseconds(bootstrap_.beat_ms() ? bootstrap_.beat_ms() : kDefaultBeatMs),
                      [this] { send_beat(); });
}

}  // namespace ds
