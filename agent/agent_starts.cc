#include "agent/agent_starts.h"

#include <csignal>
#include <utility>

#include "agent/authentication.h"
#include "agent/bootstrap.h"
#include "agent/helper_process.h"
#include "agent/marker_scan.h"
#include "agent/proto/control.pb.h"
#include "topology/base/error.h"
#include "topology/base/hex.h"
#include "topology/base/text.h"

namespace ds {

static constexpr int kCannotStart = 127;

AgentStarts::AgentStarts(boost::asio::io_context& io, const control::Bootstrap& own, OnEnded on_ended)
    : io_(io), own_(own), on_ended_(std::move(on_ended)), limit_(io) {}

AgentStarts::~AgentStarts() = default;

void AgentStarts::start(const control::AgentStart& start) {
  const uint32_t host = start.host_index();
  const std::string marker = "dslaunch-" + to_hex(random_bytes(12));
  control::Bootstrap bootstrap = own_;
  bootstrap.set_host_index(host);
  bootstrap.clear_host_names();
  bootstrap.set_marker(marker);
  auto entry = std::make_shared<Start>();
  entry->scan = std::make_unique<MarkerScan>(marker);
  HelperCommand command;
  command.argv.assign(start.argv().begin(), start.argv().end());
  command.dies_with_parent = true;
  HelperProcess::Events events;
  events.on_stdout = [start = entry.get()](const std::string& bytes) {
    if (!start->scan->feed(bytes) || start->speaks_here) return;
    start->speaks_here = true;
    start->process->kill(SIGTERM);
  };
  events.on_end = [this, host, entry = std::weak_ptr(entry)] {
    if (const auto start = entry.lock()) ended(host, *start);
  };
  try {
    entry->process = std::make_unique<HelperProcess>(io_, command, std::move(events));
  } catch (const Error& error) {
    return on_ended_(host, kCannotStart, error.what());
  }
  starts_[host] = entry;
  entry->process->write_stdin(encode_bootstrap(bootstrap));
}

void AgentStarts::ended(uint32_t host_index, const Start& start) {
  const std::string why = start.speaks_here ? "its agent reaches no address of the launcher" : start.process->said();
  on_ended_(host_index, start.process->exit_code(), why);
  post(io_, [this, host_index] {  // not from inside its own callback
    const auto found = starts_.find(host_index);
    if (found != starts_.end() && found->second->process->ended()) starts_.erase(found);
    check_all_ended();
  });
}

void AgentStarts::end(const control::EndAgentStart& end) {
  const auto found = starts_.find(end.host_index());
  if (found == starts_.end()) return;
  found->second->process->close_stdin();
  if (end.at_once()) found->second->process->kill(SIGTERM);
}

std::set<pid_t> AgentStarts::pids() const {
  std::set<pid_t> result;
  for (const auto& [host, start] : starts_) result.insert(start->process->pid());
  return result;
}

void AgentStarts::wait_for_all(std::chrono::milliseconds limit, std::function<void()> then) {
  when_all_ended_ = std::move(then);
  limit_.after(limit, [this] {
    for (auto& [host, start] : starts_) {
      start->process->close_stdin();
      start->process->kill(SIGTERM);
    }
    limit_.after(std::chrono::milliseconds(500), [this] { std::exchange(when_all_ended_, nullptr)(); });
  });
  check_all_ended();
}

void AgentStarts::check_all_ended() {
  if (!starts_.empty() || !when_all_ended_) return;
  limit_.cancel();
  std::exchange(when_all_ended_, nullptr)();
}

}  // namespace ds
