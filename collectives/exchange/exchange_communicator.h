// The whole face of a group over any transport.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/exchange/progress.h"

namespace ds {

class ExchangeCommunicator final : public Communicator {
 public:
  // A world: its ranks are the transport's. Throws kUsage when an option makes no sense.
  ExchangeCommunicator(std::shared_ptr<Transport> transport, const std::string& name,
                       const CommunicatorOptions& options, const CollectiveCounters& counters = {});

  int rank() const override { return group_->rank(); }
  int size() const override { return group_->size(); }
  const std::string& name() const override { return group_->name; }
  const std::vector<int>& world_ranks() const override { return group_->world_ranks; }
  const CommunicatorOptions& options() const override { return group_->options; }

  Work all_reduce(TensorView inout, ReduceOp op) override;
  Work all_gather(ConstTensorView in, TensorView out) override;
  Work reduce_scatter(ConstTensorView in, TensorView out, ReduceOp op) override;
  Work broadcast(TensorView inout, int root) override;
  Work all_to_all(ConstTensorView in, TensorView out) override;
  Work send(ConstTensorView data, int peer, int tag) override;
  Work receive(TensorView data, int peer, int tag) override;
  Work barrier() override;
  std::unique_ptr<Communicator> split(const std::vector<int>& ranks, const std::string& name) override;

  const Traffic& traffic() const override { return group_->traffic; }
  void reset_traffic() override { group_->traffic = Traffic(); }

  // For a backend that moves data by other means but talks over this group's transport.
  const std::shared_ptr<Group>& group() const { return group_; }

 private:
  explicit ExchangeCommunicator(std::shared_ptr<Group> group) : group_(std::move(group)) {}
  Call next_call(CallKind kind, ConstTensorView data, int detail = 0);
  Call next_message(bool sending, ConstTensorView data, int peer, int tag);
  Work start_native(const Call& call, Ticket ticket, int64_t bytes_sent);
  void check_lists_agree(const std::vector<int>& ranks, const std::string& name);

  std::shared_ptr<Group> group_;
};

}  // namespace ds
