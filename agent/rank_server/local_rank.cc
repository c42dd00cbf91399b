#include "agent/rank_server/local_rank.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "agent/channel.h"
#include "agent/pipe.h"
#include "agent/proto/control.pb.h"
#include "agent/pseudo_terminal.h"
#include "topology/base/error.h"
#include "topology/base/wall_clock.h"

namespace ds {

LocalRank::LocalRank(boost::asio::io_context& io, Options options, std::unique_ptr<RankBlockFile> block)
    : io_(io), options_(std::move(options)), block_(std::move(block)) {}

std::unique_ptr<OutputRelay> LocalRank::relay(FileDescriptor pipe, bool is_stderr) {
  OutputRelay::Options options{options_.channel, options_.output_window, options_.unfinished};
  return std::make_unique<OutputRelay>(io_, std::move(pipe), std::move(options),
                                       [this, is_stderr](std::string lines, bool end) {
                                         control::Envelope message;
                                         auto& body = *message.mutable_output();
                                         body.set_generation(options_.generation);
                                         body.set_rank(options_.rank);
                                         body.set_is_stderr(is_stderr);
                                         body.set_data(std::move(lines));
                                         body.set_end(end);
                                         options_.channel->send_soon(message);
                                       });
}

void LocalRank::start(Command command) {
  std::optional<Pipe> terminal = options_.terminal ? make_pseudo_terminal() : std::nullopt;
  Pipe out = terminal ? std::move(*terminal) : make_pipe(), error, in;
  command.stdout_fd = command.stderr_fd = out.write.get();
  if (!options_.merge_stderr) {
    error = make_pipe();
    command.stderr_fd = error.write.get();
  }
  if (options_.takes_input) {
    in = make_pipe();
    command.stdin_fd = in.read.get();
  }
  process_ = Process::start(command);
  out_ = std::move(out.read);
  error_ = std::move(error.read);
  in_ = std::move(in.write);
}

void LocalRank::watch(std::function<void(LocalRank&)> on_exit) {
  stdout_ = relay(std::move(out_), false);
  if (error_) stderr_ = relay(std::move(error_), true);
  if (in_)
    stdin_ = std::make_unique<InputFeed>(io_, std::move(in_), [this](uint64_t bytes) { report_input(bytes); });
  process_->watch(io_, [this, on_exit = std::move(on_exit)](const ExitStatus&) {
    for (auto* stream : {stdout_.get(), stderr_.get()})
      if (stream) stream->drain();
    on_exit(*this);
  });
}

void LocalRank::report_input(uint64_t bytes) {
  control::Envelope message;
  auto& body = *message.mutable_input_taken();
  body.set_generation(options_.generation);
  body.set_rank(options_.rank);
  body.set_bytes(bytes);
  options_.channel->send(message);
}

void LocalRank::input(std::string_view data, bool end) {
  if (!stdin_) return;
  stdin_->write(data);
  if (end) stdin_->end();
}

void LocalRank::finish_output() {
  for (auto* stream : {stdout_.get(), stderr_.get()}) {
    if (!stream) continue;
    stream->drain();
    stream->finish();
  }
}

void LocalRank::fill_exit(control::RankExited& exited) const {
  exited.set_generation(options_.generation);
  exited.set_rank(options_.rank);
  exited.set_time_ns(wall_clock_ns());
  exited.set_message(block_->message());
  if (!process_) return;
  exited.set_pid(static_cast<uint32_t>(process_->pid()));
  exited.set_exit_code(process_->status()->code);
  exited.set_signal(process_->status()->signal);
  if (const auto failure = process_->start_failure()) {
    exited.set_exit_code(failure->exit_code);
    exited.set_start_error(failure->text);
  }
}

}  // namespace ds
