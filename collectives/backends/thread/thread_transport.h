// Messages between threads of one process. Short messages are copied at once, long ones when the receiver takes them.
#pragma once

#include <memory>
#include <vector>

#include "collectives/backends/thread/mailboxes.h"
#include "collectives/exchange/transport.h"

namespace ds {

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(std::shared_ptr<Mailboxes> mailboxes, int rank, int size);
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(members_.size()); }
  Ticket send(const void* data, size_t bytes, int peer, int tag) override;
  Ticket receive(void* data, size_t bytes, int peer, int tag) override;
  bool progress() override;
  bool finished(Ticket ticket) override;
  void forget(Ticket ticket) override;
  std::unique_ptr<Transport> split(int color, int key) override;

 private:
  struct Pending;  // messages in flight of one rank, over all its groups
  ThreadTransport(const ThreadTransport& parent, std::vector<int> members, int rank, int context);
  std::vector<std::pair<int, int>> exchange_keys(int color, int key);

  std::shared_ptr<Mailboxes> mailboxes_;
  std::shared_ptr<Pending> pending_;
  std::vector<int> members_;  // world ranks
  int rank_, context_ = 0, num_splits_ = 0;
};

}  // namespace ds
