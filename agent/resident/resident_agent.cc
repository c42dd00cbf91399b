#include "agent/resident/resident_agent.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <map>
#include <optional>

#include "agent/bootstrap.h"
#include "agent/channel.h"
#include "agent/event_loop.h"
#include "agent/job_folders.h"
#include "agent/listener.h"
#include "agent/peer_address.h"
#include "agent/pending_connections.h"
#include "agent/proto/control.pb.h"
#include "agent/resident/refusals.h"
#include "agent/resident/resident_calls.h"
#include "agent/resident/resident_record.h"
#include "topology/base/error.h"
#include "topology/host_addresses.h"

namespace ds {
namespace {

constexpr auto kStartLimit = std::chrono::seconds(30);
constexpr size_t kPendingLimit = 64, kKeyBytes = 32;

class ResidentAgent {
 public:
  ResidentAgent(const control::ResidentStart& start, const std::string& program)
      : start_(start),
        calls_(io_, start.key(), program, [this] { fewer_calls(); }),
        idle_(io_),
        listener_(io_, false, ports(start), [this](int fd) { accept(fd); }) {
    record_.host = own_host_name();
    record_.addresses = global_addresses();
    record_.port = listener_.port();
    record_.pid = getpid();
    record_.program = program;
    record_.build = build_id();
    record_.started = time(nullptr);
  }

  const ResidentRecord& record() const { return record_; }

  void run() {
    fewer_calls();
    const auto work = boost::asio::make_work_guard(io_);
    while (!over_) io_.run_one();
  }

 private:
  static std::optional<std::pair<int, int>> ports(const control::ResidentStart& start) {
    if (start.port_low() == 0) return std::nullopt;
    return std::pair(static_cast<int>(start.port_low()), static_cast<int>(start.port_high()));
  }

  void accept(int fd) {
    const uint64_t id = next_id_++;
    const std::string host = peer_address(fd).host;
    auto channel = Channel::create(io_, fd, fd, ChannelRole::kLauncher, start_.key());
    guests_[id] = {channel, host};
    channel->start([this, id](const control::Envelope& message) { take(id, message); },
                   [this, id](const std::string& reason) { closed(id, reason); });
    if (const auto out = pending_.add(id, host)) push_out(*out);
  }

  void push_out(uint64_t id) {
    pending_.remove(id);
    const auto guest = guests_.find(id);
    if (guest == guests_.end()) return;
    const Guest out = std::move(guest->second);
    guests_.erase(guest);
    refusals_.add(out.host, out.channel->peer(), "too many connections have not proved to know the key");
    out.channel->close();
  }

  void take(uint64_t id, const control::Envelope& message) {  // only who knows the key is heard here
    pending_.remove(id);
    const std::shared_ptr<Channel> channel = guests_.at(id).channel;
    if (message.has_request()) return answer(channel, message.request().what());
    if (leaving_) return channel->close();
    idle_.cancel();
    calls_.take(channel, message);
    if (calls_.size() == 0) fewer_calls();  // nothing came of it
  }

  void closed(uint64_t id, const std::string& reason) {
    pending_.remove(id);
    const auto found = guests_.find(id);
    if (found == guests_.end()) return;
    const Guest guest = std::move(found->second);
    guests_.erase(found);
    if (!guest.channel->authenticated() || guest.channel->broke_protocol())
      refusals_.add(guest.host, guest.channel->peer(), reason);
    calls_.caller_gone(guest.channel);
    post(io_, [keep = guest.channel] {});  // this runs inside its callback
  }

  void answer(const std::shared_ptr<Channel>& channel, const std::string& what) {
    leaving_ |= what == "stop";
    control::Envelope message;
    message.mutable_reply()->set_text(std::to_string(calls_.size()) + "\n" + refusals_.text());
    message.mutable_reply()->set_exit_code(what == "stop" || what == "status" ? 0 : 2);
    channel->send(message);
    channel->flush([this] { leave_if_told(); });
  }

  void fewer_calls() {
    leave_if_told();
    if (calls_.size() > 0 || start_.idle_seconds() == 0) return;
    idle_.after(std::chrono::seconds(start_.idle_seconds()), [this] { over_ = true; });
  }

  void leave_if_told() { over_ |= leaving_ && calls_.size() == 0; }

  struct Guest {
    std::shared_ptr<Channel> channel;
    std::string host;  // its address
  };

  const control::ResidentStart start_;
  boost::asio::io_context io_;
  ResidentCalls calls_;
  Timer idle_;
  PendingConnections pending_{kPendingLimit};
  std::map<uint64_t, Guest> guests_;
  Refusals refusals_{io_};
  uint64_t next_id_ = 0;
  Listener listener_;
  ResidentRecord record_;
  bool leaving_ = false, over_ = false;
};

void let_go_of_terminal() {
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
  close(null);
}

// The process that stays: whoever waits for us hears "ready" or that this end of the pipe is closed.
void stay(const control::ResidentStart& start, const std::string& program, int output, int ready) {
  setsid();
  if (chdir("/") != 0) throw Error(ErrorCode::kInternal, "dsagent: cannot leave the working folder");
  for (const int number : {SIGPIPE, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) signal(number, SIG_IGN);
  ResidentAgent agent(start, program);
  const std::string text = "\n" + start.marker() + "\n" + record_text(agent.record()) + "\n";
  const bool told =
      write(output, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && write(ready, "r", 1) == 1;
  close(ready);
  let_go_of_terminal();
  if (told) agent.run();
}

}  // namespace

int run_resident(int input, int output, const std::string& program) {
  control::ResidentStart start;
  if (!start.ParseFromString(read_with_length(input, kStartLimit)) || start.key().size() != kKeyBytes)
    throw Error(ErrorCode::kUsage,
                "dsagent: stdin does not hold a resident agent's start: dslaunch agents start starts this program");
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) throw Error(ErrorCode::kInternal, "dsagent: cannot make a pipe");
  const pid_t child = fork();
  if (child < 0) throw Error(ErrorCode::kInternal, "dsagent: cannot fork");
  if (child == 0) {
    close(ready[0]);
    stay(start, program, output, ready[1]);
    return 0;
  }
  close(ready[1]);
  char byte = 0;
  return read(ready[0], &byte, 1) == 1 ? 0 : 1;
}

}  // namespace ds
