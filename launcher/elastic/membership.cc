#include "launcher/elastic/membership.h"

#include <algorithm>

namespace ds {
namespace {

using std::chrono::seconds;

constexpr size_t kFailuresBorne = 3;
constexpr seconds kMemory{1800}, kFirstAlone{60}, kLongestAlone{3600};
constexpr seconds kFirstTry{2}, kLongestTry{60};

seconds doubled(seconds first, int times, seconds longest) {
  return times > 20 ? longest : std::min(longest, first * (1 << times));
}

}  // namespace

Membership::Membership(size_t num_hosts) : hosts_(num_hosts) {}

void Membership::joined(int host, Time now) {
  Entry& entry = hosts_[static_cast<size_t>(host)];
  entry.state = State::kThere;
  entry.since = now;
  entry.tries = 0;
}

void Membership::lost(int host, Time now) {
  Entry& entry = hosts_[static_cast<size_t>(host)];
  if (entry.state == State::kThere) blamed(host, now);
  entry.state = State::kGone;
  entry.try_at = std::max(now + doubled(kFirstTry, entry.tries, kLongestTry), entry.alone_until);
  ++entry.tries;
}

void Membership::arrived(int host) { hosts_[static_cast<size_t>(host)] = Entry{}; }

void Membership::trying(int host) { hosts_[static_cast<size_t>(host)].state = State::kReturning; }

void Membership::blamed(int host, Time now) {
  Entry& entry = hosts_[static_cast<size_t>(host)];
  while (!entry.failures.empty() && now - entry.failures.front() > kMemory) entry.failures.pop_front();
  if (entry.failures.empty() && now - entry.alone_until > kLongestAlone) entry.times_alone = 0;
  entry.failures.push_back(now);
  if (entry.failures.size() >= kFailuresBorne) leave_alone(entry, now);
}

void Membership::at_fault(int host, Time now) {
  Entry& entry = hosts_[static_cast<size_t>(host)];
  if (now - entry.alone_until > kLongestAlone) entry.times_alone = 0;
  leave_alone(entry, now);
}

void Membership::leave_alone(Entry& entry, Time now) {
  entry.alone_until = now + doubled(kFirstAlone, entry.times_alone, kLongestAlone);
  ++entry.times_alone;
}

bool Membership::coming(int host) const { return hosts_[static_cast<size_t>(host)].state == State::kComing; }
bool Membership::there(int host) const { return hosts_[static_cast<size_t>(host)].state == State::kThere; }
bool Membership::gone(int host) const { return hosts_[static_cast<size_t>(host)].state == State::kGone; }
bool Membership::returning(int host) const { return hosts_[static_cast<size_t>(host)].state == State::kReturning; }

bool Membership::may_come(int host, Time now) const {
  return (gone(host) || returning(host)) && hosts_[static_cast<size_t>(host)].tries <= 1 && !left_alone_until(host, now);
}

bool Membership::trusted(int host, Time now) const { return there(host) && !left_alone_until(host, now); }

std::optional<Membership::Time> Membership::since(int host) const {
  if (!there(host)) return std::nullopt;
  return hosts_[static_cast<size_t>(host)].since;
}

std::optional<Membership::Time> Membership::left_alone_until(int host, Time now) const {
  const Entry& entry = hosts_[static_cast<size_t>(host)];
  if (entry.times_alone == 0 || now >= entry.alone_until) return std::nullopt;
  return entry.alone_until;
}

std::vector<int> Membership::due(Time now) const {
  std::vector<int> result;
  for (size_t host = 0; host < hosts_.size(); ++host)
    if (hosts_[host].state == State::kGone && now >= hosts_[host].try_at) result.push_back(static_cast<int>(host));
  return result;
}

}  // namespace ds
