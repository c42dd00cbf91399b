// The whole face of a group over NCCL. Tensors in device memory go through NCCL; tensors in host memory, barriers and
// the heads by which ranks find out that they disagree go over the host's transport of the same group.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "collectives/backends/nccl/nccl_messages.h"
#include "collectives/backends/nccl/nccl_operation.h"
#include "collectives/exchange/exchange_communicator.h"

namespace ds {

class NcclCommunicator final : public Communicator {
 public:
  // Both of the same ranks in the same order.
  NcclCommunicator(std::unique_ptr<ExchangeCommunicator> host, std::shared_ptr<NcclHandle> handle,
                   std::shared_ptr<const CudaModule> module);
  // Ends the lanes in an order that is the same at both ends: NCCL may wait for the other one.
  ~NcclCommunicator() override;

  int rank() const override { return host_->rank(); }
  int size() const override { return host_->size(); }
  const std::string& name() const override { return host_->name(); }
  const std::vector<int>& world_ranks() const override { return host_->world_ranks(); }
  const CommunicatorOptions& options() const override { return host_->options(); }

  Work all_reduce(TensorView inout, ReduceOp op) override;
  Work all_gather(ConstTensorView in, TensorView out) override;
  Work reduce_scatter(ConstTensorView in, TensorView out, ReduceOp op) override;
  Work broadcast(TensorView inout, int root) override;
  Work all_to_all(ConstTensorView in, TensorView out) override;
  Work send(ConstTensorView data, int peer, int tag) override;
  Work receive(TensorView data, int peer, int tag) override;
  Work barrier() override { return host_->barrier(); }
  std::unique_ptr<Communicator> split(const std::vector<int>& ranks, const std::string& name) override;

  const Traffic& traffic() const override { return host_->traffic(); }
  void reset_traffic() override { host_->reset_traffic(); }

 private:
  bool on_device(ConstTensorView view) const;
  Call next_call(CallKind kind, ConstTensorView data, int detail = 0);
  Call next_message(bool sending, ConstTensorView data, int peer, int tag);
  Work start_stages(const Call& call, std::vector<NcclOperation::Stage> stages, int64_t bytes_sent);
  const std::shared_ptr<MessageLane>& lane(bool sending, int peer);

  std::unique_ptr<ExchangeCommunicator> host_;
  std::shared_ptr<Group> group_;
  std::shared_ptr<NcclHandle> handle_;
  std::shared_ptr<const CudaModule> module_;
  struct LaneKey {  // the same at both ends
    int low, high, sender;
    auto operator<=>(const LaneKey&) const = default;
  };
  std::map<LaneKey, std::shared_ptr<MessageLane>> lanes_;
};

// Waits until NCCL is through with the handle's last call; moves the group's other operations meanwhile. Throws
// kDeadline naming `what` and the group after the group's deadline.
void wait_until_ready(Group& group, NcclHandle& handle, const std::string& what);

}  // namespace ds
