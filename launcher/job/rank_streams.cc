#include "launcher/job/rank_streams.h"

#include <utility>

#include "agent/event_loop.h"
#include "agent/proto/control.pb.h"
#include "launcher/output/verdict.h"
#include "launcher/output/rank_output.h"
#include "launcher/output/stdin_reader.h"

namespace ds {

RankStreams::RankStreams(boost::asio::io_context& io, Console& console, Send send)
    : io_(io), console_(console), send_(std::move(send)) {}

RankStreams::~RankStreams() = default;

void RankStreams::begin(int generation, const std::vector<int>& hosts, size_t num_hosts,
                        const RankOutputOptions& options) {
  finish();
  generation_ = generation;
  hosts_ = hosts;
  output_ = std::make_unique<RankOutput>(console_, options);
  credit_ = OutputCredit(num_hosts, output_window_bytes(hosts.size()));
  waits_for_reader_ = false;
}

// ---- what they write

void RankStreams::take(int host, const control::Output& output) {
  if (!output_) return;
  output_->take(static_cast<int>(output.rank()), output.is_stderr(), output.data());
  credit_.received(host, output.data().size());
  if (waits_for_reader_) return;
  if (!output_->has_room()) return wait_for_reader();
  acknowledge(host);
}

void RankStreams::acknowledge(int host) {
  if (!credit_.due(host)) return;
  control::Envelope message;
  message.mutable_output_taken()->set_generation(static_cast<uint32_t>(generation_));
  message.mutable_output_taken()->set_bytes(credit_.tell(host));
  send_(host, message);
}

void RankStreams::wait_for_reader() {
  waits_for_reader_ = true;
  auto look = [this] {
    waits_for_reader_ = false;
    if (!output_->has_room()) return wait_for_reader();
    for (int host : hosts_) acknowledge(host);
  };
  output_->when_room([this, look] { post(io_, look); });  // comes from another thread
}

void RankStreams::first_failure(const Verdict& verdict) {
  if (output_) output_->first_failure(verdict);
}

void RankStreams::finish() {
  if (output_) output_->finish();
}

std::string RankStreams::last_lines(int rank) const { return output_ ? output_->last_lines(rank) : ""; }

std::string RankStreams::log_path(int rank) const { return output_ ? output_->log_path(rank) : ""; }

// ---- what they read

void RankStreams::feed(const std::vector<int>& readers) {
  if (readers.empty()) return;
  input_ = InputWindow(readers);
  stdin_ = std::make_unique<StdinReader>(io_, [this](const std::string& bytes, bool end) { send_input(bytes, end); });
}

void RankStreams::stop_feeding() { stdin_.reset(); }

void RankStreams::take(const control::InputTaken& taken) {
  input_.taken(static_cast<int>(taken.rank()), taken.bytes());
  allow_more_input();
}

void RankStreams::rank_ended(int rank) {
  input_.gone(rank);
  allow_more_input();
}

void RankStreams::send_input(const std::string& bytes, bool end) {
  control::Envelope message;
  control::Input& input = *message.mutable_input();
  input.set_generation(static_cast<uint32_t>(generation_));
  input.set_data(bytes);
  input.set_end(end);
  for (int host : hosts_) send_(host, message);
  input_.sent(bytes.size());
  allow_more_input();
}

void RankStreams::allow_more_input() {
  if (stdin_ && input_.has_room()) stdin_->allow_next();
}

}  // namespace ds
