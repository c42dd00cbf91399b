#include "agent/resident/resident_caller.h"

#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>

#include "agent/bootstrap.h"
#include "agent/channel.h"
#include "agent/dial.h"
#include "agent/event_loop.h"
#include "agent/proto/control.pb.h"
#include "agent/resident/resident_record.h"
#include "agent/resident/sealed.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr auto kBootstrapLimit = std::chrono::seconds(30);
constexpr auto kDialLimit = std::chrono::milliseconds(3000);

class ResidentCaller {
 public:
  ResidentCaller(ResidentRecord record, const control::Envelope& enter, int input)
      : record_(std::move(record)), enter_(enter), input_fd_(input) {}

  int run() {
    dialer_.emplace(io_, record_.addresses, static_cast<uint16_t>(record_.port), kDialLimit,
                    [this](FileDescriptor socket, const std::string& reasons) { dialed(std::move(socket), reasons); });
    const auto work = boost::asio::make_work_guard(io_);
    while (!exit_code_) io_.run_one();
    return *exit_code_;
  }

 private:
  void dialed(FileDescriptor socket, const std::string& reasons) {
    if (!socket) return lost(reasons);
    const int fd = socket.release();
    channel_ = Channel::create(io_, fd, fd, ChannelRole::kAgent, record_.key);
    channel_->start([this](const control::Envelope& message) { take(message); },
                    [this](const std::string& reason) { lost(reason.empty() ? "connection closed" : reason); });
    channel_->send(enter_);
    input_.emplace(io_, input_fd_);
    watch_life_line();
  }

  void watch_life_line() {
    input_->when_readable([this] {
      char bytes[256];
      const ssize_t n = read(input_fd_, bytes, sizeof bytes);
      if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) return watch_life_line();
      input_.reset();
      control::Envelope message;
      message.mutable_stream()->set_end(true);
      channel_->send(message);
    });
  }

  void take(const control::Envelope& message) {
    if (message.has_left()) exit_code_ = message.left().exit_code();
    if (message.has_stream())
      pass_on(message.stream().number() == 1 ? STDOUT_FILENO : STDERR_FILENO, message.stream().data());
  }

  static void pass_on(int fd, const std::string& data) {
    size_t done = 0;
    while (done < data.size()) {
      const ssize_t n = write(fd, data.data() + done, data.size() - done);
      if (n > 0) done += static_cast<size_t>(n);
      else if (errno != EINTR) return;  // nobody reads any more
    }
  }

  void lost(const std::string& reason) {
    std::fprintf(stderr, "the resident agent on %s: %s\n", record_.host.c_str(), reason.c_str());
    exit_code_ = 1;
  }

  const ResidentRecord record_;
  const control::Envelope& enter_;
  int input_fd_;
  boost::asio::io_context io_;
  std::optional<Dialer> dialer_;
  std::shared_ptr<Channel> channel_;
  std::optional<DescriptorWatch> input_;
  std::optional<int> exit_code_;
};

}  // namespace

int enter_through_resident(const std::string& record_file, const std::vector<std::string>& arguments, int input) {
  signal(SIGPIPE, SIG_IGN);
  const ResidentRecord record = parse_record(read_file(record_file), record_file);
  control::Envelope enter;
  for (const std::string& word : arguments) enter.mutable_enter()->add_argv(word);
  if (arguments.empty())
    enter.mutable_enter()->set_sealed_stdin(seal(record.key, with_length(read_with_length(input, kBootstrapLimit))));
  return ResidentCaller(record, enter, input).run();
}

}  // namespace ds
