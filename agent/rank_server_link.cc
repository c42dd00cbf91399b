#include "agent/rank_server_link.h"

#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "agent/environment.h"
#include "agent/leftovers.h"
#include "agent/oom_kills.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {

static Command server_command(const std::string& program, const std::string& job, uint32_t host_index,
                              const PortRange& ports, int fd) {
  Command command;
  command.program = program;
  command.argv = {"dsagent", "--rank-server", std::to_string(fd),        "--job",
                  job,       "--host-index",  std::to_string(host_index)};
  if (ports.bounded())
    command.argv.insert(command.argv.end(),
                        {"--first-port", std::to_string(ports.low), "--last-port", std::to_string(ports.high)});
  Environment environment = own_environment();
  environment[kServerVariable] = job;
  environment[kHostVariable] = std::to_string(host_index);
  environment.erase(kVariableJob);
  command.env = assignments(environment);
  command.kept_fd = fd;
  command.dies_with_parent = false;  // it cleans up after its parent
  return command;
}

RankServerLink::RankServerLink(boost::asio::io_context& io, const std::string& program, const std::string& job,
                               uint32_t host_index, const PortRange& ports, Callbacks callbacks)
    : callbacks_(std::move(callbacks)),
      oom_kills_before_(oom_kills()),
      words_(memfd_create("rank server", MFD_CLOEXEC)) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(ErrorCode::kInternal, std::string("rank server: no socketpair: ") + std::strerror(errno));
  FileDescriptor ours(ends[0]), theirs(ends[1]);
  Command command = server_command(program, job, host_index, ports, theirs.get());
  command.stderr_fd = words_.get();
  process_ = Process::start(command);
  const int fd = ours.release();
  channel_ = Channel::create(io, fd, fd, ChannelRole::kLauncher, "");
  channel_->start([this](const control::Envelope& message) { callbacks_.on_message(message); },
                  [this](const std::string&) {
                    channel_closed_ = true;
                    check_end();
                  });
  process_->watch(io, [this](const ExitStatus&) {
    channel_->pause_reading(false);
    check_end();
  });
}

RankServerLink::~RankServerLink() { channel_->close(); }

void RankServerLink::check_end() {
  if (!channel_closed_ || process_->running() || ended_) return;
  ended_ = true;
  callbacks_.on_end();
}

void RankServerLink::kill() { process_->signal(SIGKILL); }

bool RankServerLink::ran_out_of_memory() const {
  return process_->status() && process_->status()->signal == SIGKILL && oom_kills() > oom_kills_before_;
}

std::string RankServerLink::cause_of_death() const {
  const std::string cause = process_->status() ? describe(*process_->status()) : "still running";
  char tail[600];
  const off_t size = lseek(words_.get(), 0, SEEK_END);
  const off_t start = size > static_cast<off_t>(sizeof tail) ? size - static_cast<off_t>(sizeof tail) : 0;
  const ssize_t n = pread(words_.get(), tail, sizeof tail, start);
  const std::string words(trim(std::string_view(tail, n > 0 ? static_cast<size_t>(n) : 0)));
  return words.empty() ? cause : cause + "; its last words: " + words;
}

}  // namespace ds
