#include "collectives/backends/thread/thread_transport.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <thread>

namespace ds {
namespace {
constexpr size_t kShortBytes = 4096;
constexpr int kSplitTag = -1;  // no tag of an operation
}  // namespace

struct ThreadTransport::Pending {
  struct Send {
    int to;
    std::shared_ptr<std::atomic<bool>> taken;
  };
  struct Receive {
    int context, source, tag;
    void* data;
    size_t bytes;
    bool done = false;
  };
  std::map<Ticket, Send> sends;
  std::map<Ticket, Receive> receives;  // by age: an earlier receive matches first
  Ticket next = 0;
};

ThreadTransport::ThreadTransport(std::shared_ptr<Mailboxes> mailboxes, int rank, int size)
    : mailboxes_(std::move(mailboxes)), pending_(std::make_shared<Pending>()), members_(size), rank_(rank) {
  std::iota(members_.begin(), members_.end(), 0);
}

ThreadTransport::ThreadTransport(const ThreadTransport& parent, std::vector<int> members, int rank, int context)
    : mailboxes_(parent.mailboxes_),
      pending_(parent.pending_),
      members_(std::move(members)),
      rank_(rank),
      context_(context) {}

Ticket ThreadTransport::send(const void* data, size_t bytes, int peer, int tag) {
  Mailboxes::Message message{context_, rank_, tag, data, bytes, nullptr, std::make_shared<std::atomic<bool>>(false)};
  const Ticket ticket = pending_->next++;
  auto taken = message.taken;
  if (bytes <= kShortBytes) {
    message.copy.reset(new char[bytes]);
    if (bytes > 0) std::memcpy(message.copy.get(), data, bytes);
    taken = nullptr;
  }
  mailboxes_->post(members_[peer], std::move(message));
  pending_->sends[ticket] = {members_[peer], taken};
  return ticket;
}

Ticket ThreadTransport::receive(void* data, size_t bytes, int peer, int tag) {
  const Ticket ticket = pending_->next++;
  pending_->receives[ticket] = {context_, peer, tag, data, bytes, false};
  return ticket;
}

bool ThreadTransport::progress() {
  mailboxes_->throw_if_closed();
  bool moved = false;
  std::set<std::tuple<int, int, int>> starved;  // a message may come during the loop: the oldest receive must get it
  for (auto& [ticket, receive] : pending_->receives) {
    const std::tuple key{receive.context, receive.source, receive.tag};
    if (receive.done || starved.contains(key)) continue;
    receive.done = mailboxes_->take(members_[rank_], receive.context, receive.source, receive.tag, receive.data,
                                    receive.bytes);
    moved |= receive.done;
    if (!receive.done) starved.insert(key);
  }
  return moved;
}

bool ThreadTransport::finished(Ticket ticket) {
  if (auto it = pending_->sends.find(ticket); it != pending_->sends.end()) {
    if (it->second.taken && !it->second.taken->load(std::memory_order_acquire)) return false;
    pending_->sends.erase(it);
    return true;
  }
  auto it = pending_->receives.find(ticket);
  if (it == pending_->receives.end() || !it->second.done) return false;
  pending_->receives.erase(it);
  return true;
}

void ThreadTransport::forget(Ticket ticket) {
  if (auto it = pending_->sends.find(ticket); it != pending_->sends.end()) {
    if (it->second.taken) mailboxes_->withdraw(it->second.to, it->second.taken);
    pending_->sends.erase(it);
  }
  pending_->receives.erase(ticket);
}

// Every member's (color, key). All are known to be on their way here.
std::vector<std::pair<int, int>> ThreadTransport::exchange_keys(int color, int key) {
  std::vector<std::pair<int, int>> all(size());
  const std::pair<int, int> mine{color, key};
  all[rank_] = mine;
  std::vector<Ticket> tickets;
  for (int peer = 0; peer < size(); ++peer) {
    if (peer == rank_) continue;
    tickets.push_back(send(&mine, sizeof mine, peer, kSplitTag));
    tickets.push_back(receive(&all[peer], sizeof mine, peer, kSplitTag));
  }
  while (std::erase_if(tickets, [&](Ticket ticket) { return finished(ticket); }), !tickets.empty())
    if (!progress()) std::this_thread::yield();
  return all;
}

std::unique_ptr<Transport> ThreadTransport::split(int color, int key) {
  const int step = num_splits_++;
  const auto all = exchange_keys(color, key);
  if (color < 0) return nullptr;
  std::vector<int> members;
  for (int peer = 0; peer < size(); ++peer)
    if (all[peer].first == color) members.push_back(peer);
  std::stable_sort(members.begin(), members.end(), [&](int a, int b) { return all[a].second < all[b].second; });
  const int rank = static_cast<int>(std::find(members.begin(), members.end(), rank_) - members.begin());
  for (int& member : members) member = members_[member];
  return std::unique_ptr<Transport>(
      new ThreadTransport(*this, std::move(members), rank, mailboxes_->context(context_, step, color)));
}

}  // namespace ds
