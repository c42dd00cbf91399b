#include "agent/rank_server/mpirun/mpirun_helpers.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "agent/channel.h"
#include "agent/environment.h"
#include "agent/file_descriptor.h"
#include "agent/proto/control.pb.h"
#include "agent/rank_server/mpirun/mpirun_command.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr int kCutOff = 1;

FileDescriptor connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    throw Error(ErrorCode::kUsage,
                "dsagent: started by mpirun alone: no rank server to talk to (" + std::string(kMpirunSocket) + ")");
  path.copy(address.sun_path, path.size());
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket || connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    throw Error(ErrorCode::kUnavailable, "dsagent: no rank server at " + path + ": " + std::strerror(errno));
  return socket;
}

// Says one thing and waits for the answer, an exit code.
int ask(const control::Envelope& message) {
  boost::asio::io_context io;
  const int fd = connect_to(get_or(own_environment(), kMpirunSocket, "")).release();
  const auto channel = Channel::create(io, fd, fd, ChannelRole::kAgent, "");
  std::optional<int> answer;
  channel->start([&](const control::Envelope& said) { if (said.has_left()) answer = said.left().exit_code(); },
                 [&](const std::string&) { answer = answer.value_or(kCutOff); });
  channel->send(message);
  const auto work = boost::asio::make_work_guard(io);
  while (!answer) io.run_one();
  channel->close();
  return *answer;
}

}  // namespace

int stand_in_for_rank() {
  const Environment environment = own_environment();
  const auto rank = parse_int(get_or(environment, "OMPI_COMM_WORLD_RANK", ""));
  if (!rank)
    throw Error(ErrorCode::kUsage,
                "dsagent: no OMPI_COMM_WORLD_RANK: this mpirun is not Open MPI's; use --wireup none");
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2})
    signal(number, SIG_IGN);  // the rank decides; KILL ends both
  control::Envelope message;
  message.mutable_mpirun_rank()->set_rank(static_cast<uint32_t>(*rank));
  for (const std::string& variable : assignments(environment)) message.mutable_mpirun_rank()->add_env(variable);
  return ask(message);
}

int login_for_mpirun(const std::vector<std::string>& arguments) {
  control::Envelope message;
  size_t first = 0;
  while (first < arguments.size() && arguments[first].starts_with('-')) ++first;  // -x and other wishes to ssh
  if (first + 1 >= arguments.size())
    throw Error(ErrorCode::kUsage, "dsagent: --mpirun-login needs a host and a command");
  message.mutable_run_daemon()->set_host(arguments[first]);
  message.mutable_run_daemon()->set_command(
      join({arguments.begin() + static_cast<std::ptrdiff_t>(first) + 1, arguments.end()}, " "));
  return ask(message);
}

}  // namespace ds
