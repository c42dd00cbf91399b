#include "launcher/job/job_client.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <optional>
#include <thread>

#include "agent/channel.h"
#include "agent/event_loop.h"
#include "agent/file_descriptor.h"
#include "agent/proto/control.pb.h"
#include "launcher/records/job_file.h"
#include "launcher/plan/job_identity.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr int kConnectMilliseconds = 3000;
constexpr int kAttempts = 10;
constexpr std::chrono::milliseconds kPause{200};

FileDescriptor connect_to(const std::string& address, int port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST;
  if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return FileDescriptor();
  FileDescriptor fd(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int result = fd ? ::connect(fd.get(), found->ai_addr, found->ai_addrlen) : -1;
  bool connecting = result != 0 && errno == EINPROGRESS;
  ::freeaddrinfo(found);
  if (result != 0 && !connecting) return FileDescriptor();
  pollfd wait{fd.get(), POLLOUT, 0};
  int error = 0;
  socklen_t size = sizeof error;
  if (connecting && ::poll(&wait, 1, kConnectMilliseconds) != 1) return FileDescriptor();
  if (::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error) return FileDescriptor();
  return fd;
}

std::vector<std::string> addresses_of(const JobFile& file) {
  std::vector<std::string> addresses = file.addresses;
  if (file.host == this_host_name()) addresses.insert(addresses.begin(), "127.0.0.1");
  return addresses;
}

FileDescriptor connect_to_job(const JobFile& file) {
  for (const std::string& address : addresses_of(file))
    if (FileDescriptor fd = connect_to(address, file.port)) return fd;
  throw Error(ErrorCode::kUnavailable, "no answer from the launcher of job " + file.job + " on " + file.host +
                                           ": port=" + std::to_string(file.port) + ", addresses=" +
                                           join(addresses_of(file), ","));
}

struct Question {
  control::Envelope request;
  std::chrono::seconds limit, gone_limit;
  bool until_gone = false;
};

struct Outcome {
  std::optional<JobAnswer> answer;
  std::string closed;     // why the connection ended, if it did
  bool let_in = false;    // both sides know the key
};

Outcome ask_once(const JobFile& file, const Question& question) {
  boost::asio::io_context io;
  int fd = connect_to_job(file).release();
  std::shared_ptr<Channel> channel = Channel::create(io, fd, fd, ChannelRole::kAgent, file.key);
  Outcome outcome;
  bool over = false;
  Timer timer(io);
  channel->start(
      [&](const control::Envelope& message) {
        if (!message.has_reply()) return;
        outcome.answer = JobAnswer{message.reply().exit_code(), message.reply().text()};
        if (question.until_gone && outcome.answer->exit_code == 0)
          timer.after(question.gone_limit, [&] { over = true; });
        else over = true;
      },
      [&](const std::string& reason) {
        outcome.closed = reason.empty() ? "connection closed" : reason;
        over = true;
      });
  channel->send(question.request);
  timer.after(question.limit, [&] { over = true; });
  auto work = boost::asio::make_work_guard(io);
  while (!over) io.run_one();
  outcome.let_in = channel->authenticated();
  channel->close();
  return outcome;
}

}  // namespace

JobAnswer ask_job(const JobFile& file, const std::string& what, const std::vector<std::string>& arguments,
                  std::chrono::seconds limit, bool until_gone, std::chrono::seconds gone_limit) {
  Question question{{}, limit, gone_limit, until_gone};
  question.request.mutable_request()->set_what(what);
  for (const std::string& argument : arguments) question.request.mutable_request()->add_arguments(argument);
  Outcome outcome;
  // A launcher with too many callers at once pushes out some that have not proved to know the key yet.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    outcome = ask_once(file, question);
    if (outcome.answer) return *outcome.answer;
    if (outcome.let_in || outcome.closed.empty()) break;
    std::this_thread::sleep_for(kPause);
  }
  throw Error(ErrorCode::kUnavailable,
              "the launcher of job " + file.job + " did not answer " + what + ": " +
                  (outcome.closed.empty() ? "waited " + std::to_string(limit.count()) + " s" : outcome.closed));
}

}  // namespace ds
