#include "agent/resident/resident_calls.h"

#include <csignal>
#include <utility>

#include "agent/channel.h"
#include "agent/helper_process.h"
#include "agent/proto/control.pb.h"
#include "agent/resident/sealed.h"
#include "topology/base/error.h"

namespace ds {

static constexpr auto kEndLimit = std::chrono::seconds(15);  // of an agent whose life line is closed
static constexpr int kCannotStart = 127, kRefused = 2;

static void send_stream(const std::shared_ptr<Channel>& channel, uint32_t number, const std::string& data) {
  control::Envelope message;
  message.mutable_stream()->set_number(number);
  message.mutable_stream()->set_data(data);
  channel->send(message);
}

static void send_left(const std::shared_ptr<Channel>& channel, int exit_code, const std::string& said) {
  if (!said.empty()) send_stream(channel, 2, said);
  control::Envelope message;
  message.mutable_left()->set_exit_code(exit_code);
  channel->send(message);
}

ResidentCalls::ResidentCalls(boost::asio::io_context& io, std::string key, std::string program,
                             std::function<void()> on_fewer)
    : io_(io), key_(std::move(key)), program_(std::move(program)), on_fewer_(std::move(on_fewer)) {}

ResidentCalls::~ResidentCalls() = default;

void ResidentCalls::take(const std::shared_ptr<Channel>& channel, const control::Envelope& message) {
  if (message.has_enter()) return enter(channel, message);
  const auto call = calls_.find(channel);
  if (call != calls_.end() && message.has_stream() && message.stream().end()) call->second.process->close_stdin();
}

void ResidentCalls::enter(const std::shared_ptr<Channel>& channel, const control::Envelope& message) {
  if (calls_.count(channel)) return;
  HelperCommand command;
  command.argv = {program_};
  for (const std::string& word : message.enter().argv()) command.argv.push_back(word);
  command.dies_with_parent = true;
  HelperProcess::Events events;
  events.on_stdout = [weak = std::weak_ptr(channel)](const std::string& bytes) {
    if (const auto caller = weak.lock()) send_stream(caller, 1, bytes);
  };
  events.on_end = [this, weak = std::weak_ptr(channel)] {
    if (const auto caller = weak.lock()) ended(caller);
  };
  try {
    const std::string input =
        message.enter().sealed_stdin().empty() ? "" : unseal(key_, message.enter().sealed_stdin());
    Call call;
    call.process = std::make_unique<HelperProcess>(io_, command, std::move(events));
    call.process->write_stdin(input);
    call.end_limit = std::make_unique<Timer>(io_);
    calls_.emplace(channel, std::move(call));
  } catch (const Error& error) {
    send_left(channel, error.code() == ErrorCode::kCorrupt ? kRefused : kCannotStart, error.what());
  }
}

void ResidentCalls::ended(const std::shared_ptr<Channel>& channel) {
  const auto call = calls_.find(channel);
  if (call == calls_.end()) return;
  send_left(channel, call->second.process->exit_code(), call->second.process->said());
  post(io_, [this, channel] {  // not from inside its own callback
    calls_.erase(channel);
    on_fewer_();
  });
}

void ResidentCalls::caller_gone(const std::shared_ptr<Channel>& channel) {
  const auto call = calls_.find(channel);
  if (call == calls_.end()) return;
  call->second.process->close_stdin();
  call->second.end_limit->after(kEndLimit, [process = call->second.process.get()] { process->kill(SIGKILL); });
}

}  // namespace ds
