#include "agent/rank_server/stack_traces.h"

#include <fcntl.h>

#include <algorithm>
#include <csignal>

#include "agent/channel.h"
#include "agent/environment.h"
#include "agent/output_relay.h"
#include "agent/process.h"
#include "topology/base/error.h"

namespace ds {

namespace {

constexpr size_t kAtATime = 4;
constexpr size_t kMostInOnePiece = 1 << 20;

// The kernel first: it answers at once, while a debugger may not get through a large program in time.
constexpr const char* kScript = R"sh(
for task in /proc/"$1"/task/*; do
  echo "thread ${task##*/} $(cat "$task/comm"): state $(sed -n 's/^State:[[:space:]]*//p' "$task/status"), waits in $(cat "$task/wchan")"
  cat "$task/stack" 2>/dev/null
done
if command -v eu-stack >/dev/null 2>&1; then eu-stack -p "$1" 2>&1 && exit; fi
if command -v gdb >/dev/null 2>&1; then gdb -p "$1" -nx -batch -ex 'thread apply all bt' 2>&1 && exit; fi
echo "(neither eu-stack nor gdb could look into it)"
)sh";

}  // namespace

class StackTraces::Helper {
 public:
  Helper(StackTraces& owner, const TracedRank& rank)
      : owner_(owner), rank_(rank),
        text_("stack traces of rank " + std::to_string(rank.rank) + ", pid " + std::to_string(rank.pid) + "\n") {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorCode::kInternal, "stack traces: no pipe");
    FileDescriptor read(ends[0]), write(ends[1]);
    Command command;
    command.program = "/bin/sh";
    command.argv = {"sh", "-c", kScript, "sh", std::to_string(rank.pid)};
    command.env = assignments(own_environment());
    command.stdout_fd = command.stderr_fd = write.get();
    process_ = Process::start(command);
    output_ = std::make_unique<OutputRelay>(owner.io_, std::move(read), OutputRelay::Options{owner.channel_},
                                            [this](std::string lines, bool) { add(lines); });
    process_->watch(owner.io_, [this, &owner](const ExitStatus&) { owner.ended(*this); });
  }

  void finish() {
    process_->signal_group(SIGKILL);
    output_->drain();
    output_->finish();
    tell();
  }

  const TracedRank& rank() const { return rank_; }

 private:
  // Several ranks are looked at at a time: each is told in one piece, as long as that is not too large.
  void add(const std::string& lines) {
    text_ += lines;
    if (text_.size() > kMostInOnePiece) tell();
  }

  void tell() {
    if (!text_.empty()) owner_.on_text_(rank_.rank, std::exchange(text_, ""));
  }

  StackTraces& owner_;
  TracedRank rank_;
  std::string text_;
  std::unique_ptr<Process> process_;
  std::unique_ptr<OutputRelay> output_;
};

StackTraces::StackTraces(boost::asio::io_context& io, std::shared_ptr<Channel> channel,
                         std::function<void(uint32_t, std::string)> on_text)
    : io_(io), channel_(std::move(channel)), on_text_(std::move(on_text)), limit_(io) {}

StackTraces::~StackTraces() = default;

void StackTraces::take(const std::vector<TracedRank>& ranks, std::chrono::milliseconds limit,
                       std::function<void()> on_done) {
  waiting_.assign(ranks.begin(), ranks.end());
  on_done_ = std::move(on_done);
  limit_.after(limit, [this] { finish(); });
  start_more();
}

void StackTraces::start_more() {
  while (!waiting_.empty() && helpers_.size() < kAtATime) {
    const TracedRank next = waiting_.front();
    waiting_.pop_front();
    helpers_.push_back(std::make_unique<Helper>(*this, next));
  }
  if (helpers_.empty() && waiting_.empty()) finish();
}

// Called by the helper itself: it is kept until this object goes.
void StackTraces::ended(const Helper& helper) {
  const auto found =
      std::find_if(helpers_.begin(), helpers_.end(), [&](const auto& one) { return one.get() == &helper; });
  if (found == helpers_.end()) return;
  (*found)->finish();
  finished_.push_back(std::move(*found));
  helpers_.erase(found);
  start_more();
}

void StackTraces::finish() {
  if (!on_done_) return;
  limit_.cancel();
  for (const auto& helper : helpers_) helper->finish();
  for (const auto& helper : helpers_) waiting_.push_front(helper->rank());
  for (const TracedRank& rank : waiting_)
    on_text_(rank.rank, "stack traces of rank " + std::to_string(rank.rank) + ": not taken in time\n");
  waiting_.clear();
  std::exchange(on_done_, nullptr)();
}

}  // namespace ds
