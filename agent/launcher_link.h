// An agent's connection to its launcher: dials, introduces the agent, beats, keeps the lease, and knows when the
// launcher is gone for good. The agent of an elastic job whose launcher is gone dials until its lease ends: another
// launcher may have taken the place (docs/elastic.md).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/dial.h"
#include "agent/event_loop.h"
#include "agent/lease.h"

namespace ds {

namespace control {
class Bootstrap;
class Envelope;
class Hello;
}  // namespace control
class Channel;

class LauncherLink {
 public:
  struct Events {
    std::function<void(const std::shared_ptr<Channel>&)> on_open;  // a connection, the one to use from now on
    std::function<void(const control::Envelope&)> on_message;      // all but answers to beats
    std::function<void()> on_away;                                 // it closed, and another one may open
    std::function<void(const std::string& reason)> on_gone;        // a sentence: nothing comes from there any more
  };

  // `bootstrap` and `hello` are borrowed. Says nothing before run().
  LauncherLink(boost::asio::io_context& io, const control::Bootstrap& bootstrap, const control::Hello& hello,
               Events events);

  void run();

 private:
  void dial();
  void dialed(FileDescriptor socket, const std::string& reasons);
  void use_standard_streams();
  void open(int read_fd, int write_fd);
  void take(const control::Envelope& message);
  void closed(const std::string& reason);
  void dial_after(std::chrono::milliseconds pause);
  void watch_life_line();
  void watch_lease();
  void look_at_lease_at(Lease::Time due);
  void send_beat();

  boost::asio::io_context& io_;
  const control::Bootstrap& bootstrap_;
  const control::Hello& hello_;
  Events events_;
  Lease lease_;
  std::optional<Dialer> dialer_;
  std::shared_ptr<Channel> channel_;
  std::optional<DescriptorWatch> life_line_;
  Timer dial_timer_, lease_timer_, beat_timer_;
  int dials_ = 0;            // before the first Welcome
  bool dials_in_ = false;    // frames take a connection of their own
  bool welcomed_ = false;    // once
  uint64_t answer_ns_ = 0;  // the launcher's clock in its last answer to a beat
};

}  // namespace ds
