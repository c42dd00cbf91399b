#include "launcher/reach/resident_starts.h"

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <memory>

#include "agent/authentication.h"
#include "agent/bootstrap.h"
#include "agent/event_loop.h"
#include "agent/helper_process.h"
#include "agent/marker_scan.h"
#include "agent/proto/control.pb.h"
#include "launcher/reach/agent_starter.h"
#include "topology/base/error.h"
#include "topology/base/hex.h"

namespace ds {
namespace {

using Clock = std::chrono::steady_clock;

class Starts {
 public:
  Starts(const std::vector<Host>& hosts, const ResidentOptions& options)
      : hosts_(hosts), options_(options), starter_(ssh_starter(options.ssh, options.program)), entries_(hosts.size()) {}

  ResidentStarts run() {
    start_more();
    while (left_ > 0) {
      io_.run_one();
      start_more();
    }
    return std::move(result_);
  }

 private:
  struct Entry {
    std::unique_ptr<HelperProcess> process;
    std::unique_ptr<MarkerScan> scan;
    std::unique_ptr<Timer> limit;
    Clock::time_point started;
    std::string key, answer;
    bool over = false;
  };

  void start_more() {
    for (; next_ < hosts_.size() && under_way_ < options_.limits.at_once; ++next_) start(next_);
  }

  void start(size_t host) {
    Entry& entry = entries_[host];
    entry.started = Clock::now();
    entry.key = random_bytes(32);
    const std::string marker = "dslaunch-" + to_hex(random_bytes(12));
    entry.scan = std::make_unique<MarkerScan>(marker);
    control::ResidentStart message;
    message.set_key(entry.key);
    message.set_idle_seconds(options_.idle_seconds);
    message.set_marker(marker);
    if (options_.ports) {
      message.set_port_low(static_cast<uint32_t>(options_.ports->first));
      message.set_port_high(static_cast<uint32_t>(options_.ports->second));
    }
    HelperCommand command = starter_->commands(hosts_, {static_cast<int>(host)}).at(0).command;
    command.argv.back() += " --resident";
    HelperProcess::Events events;
    events.on_stdout = [this, host](const std::string& bytes) { heard(host, bytes); };
    events.on_end = [this, host] { post(io_, [this, host] { ended(host); }); };
    entry.process = std::make_unique<HelperProcess>(io_, command, std::move(events));
    entry.process->write_stdin(with_length(message.SerializeAsString()));
    entry.limit = std::make_unique<Timer>(io_);
    entry.limit->after(options_.limits.each, [this, host] { fail(host, -1); });
    ++under_way_;
  }

  // The record ends with an empty line.
  void heard(size_t host, const std::string& bytes) {
    Entry& entry = entries_[host];
    if (entry.over || !entry.scan->feed(bytes)) return;
    const size_t end = entry.scan->rest().find("\n\n");
    if (end == std::string::npos) return;
    try {
      ResidentRecord record = parse_record(entry.scan->rest().substr(0, end + 1), hosts_[host].name);
      record.host = hosts_[host].name;
      record.user = hosts_[host].user;
      record.program = options_.program;
      record.key = entry.key;
      result_.started.push_back(std::move(record));
      finish(entry);
    } catch (const Error&) {
      fail(host, 1);
    }
  }

  void ended(size_t host) {
    heard(host, "");
    fail(host, entries_[host].process->exit_code());
  }

  void fail(size_t host, int exit_code) {
    Entry& entry = entries_[host];
    if (entry.over) return;
    const auto waited = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - entry.started).count();
    result_.failures.push_back(
        classify_reach_failure(hosts_[host].name, entry.process->said(), exit_code, static_cast<int>(waited)));
    finish(entry);
  }

  void finish(Entry& entry) {
    entry.over = true;
    entry.limit->cancel();
    entry.process->close_stdin();
    --under_way_;
    --left_;
  }

  const std::vector<Host>& hosts_;
  const ResidentOptions& options_;
  std::unique_ptr<AgentStarter> starter_;
  boost::asio::io_context io_;
  std::vector<Entry> entries_;
  ResidentStarts result_;
  size_t next_ = 0, left_ = hosts_.size();
  int under_way_ = 0;
};

}  // namespace

ResidentStarts start_residents(const std::vector<Host>& hosts, const ResidentOptions& options) {
  return Starts(hosts, options).run();
}

}  // namespace ds
