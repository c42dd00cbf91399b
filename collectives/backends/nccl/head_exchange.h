// Every rank of a group tells every other one what it calls, over the host's transport, while NCCL moves the data: NCCL
// itself would only hang. Finished when all have called, so it is a barrier as well.
#pragma once

#include <memory>
#include <vector>

#include "collectives/exchange/group.h"

namespace ds {

class HeadExchange {
 public:
  HeadExchange(Group& group, const Call& call);
  ~HeadExchange();
  HeadExchange(const HeadExchange&) = delete;
  HeadExchange& operator=(const HeadExchange&) = delete;

  bool advance();  // true when all heads came; throws kInternal naming both when a rank calls something else
  std::vector<int> missing() const;

 private:
  struct Peer {
    int rank = 0;
    Call theirs{};
    Ticket sending = 0, receiving = 0;
    bool sent = false, received = false;
  };
  Group& group_;
  const Call call_;
  std::vector<std::unique_ptr<Peer>> peers_;
};

[[noreturn]] void throw_disagreement(const Group& group, const Call& ours, int peer, const Call& theirs);

// The transport's tags that NCCL groups use; the lower half is that of the host's operations.
inline constexpr int kHeadTag = kNumTags - 1, kGrantTag = kNumTags - 2, kFirstMessageTag = kNumTags / 2;
inline constexpr int kNumMessageTags = kNumTags / 2 - 2;

}  // namespace ds
