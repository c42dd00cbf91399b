#include "collectives/exchange/argument_checks.h"

#include "topology/base/error.h"

namespace ds {

void require(const Group& group, bool condition, const std::string& what) {
  if (!condition) throw Error(ErrorCode::kInternal, "collectives: " + group.label() + ": " + what);
}

void check_all_gather(const Group& group, ConstTensorView in, TensorView out) {
  require(group, in.dtype == out.dtype && out.count == in.count * group.size(),
          "all_gather: out.count=" + std::to_string(out.count) + ": must be size times in.count=" +
              std::to_string(in.count) + ", of the same type");
}

void check_reduce_scatter(const Group& group, ConstTensorView in, TensorView out) {
  require(group, in.dtype == out.dtype && in.count == out.count * group.size(),
          "reduce_scatter: in.count=" + std::to_string(in.count) + ": must be size times out.count=" +
              std::to_string(out.count) + ", of the same type");
}

void check_all_to_all(const Group& group, ConstTensorView in, TensorView out) {
  require(group, in.dtype == out.dtype && in.count == out.count && in.count % group.size() == 0,
          "all_to_all: in.count=" + std::to_string(in.count) + ", out.count=" + std::to_string(out.count) +
              ": must be equal, divisible by the size and of the same type");
}

void check_root(const Group& group, int root) {
  require(group, root >= 0 && root < group.size(), "broadcast: root=" + std::to_string(root) + ": no such rank");
}

void check_message(const Group& group, bool sending, int peer, int tag, int num_tags) {
  const std::string what = sending ? "send: " : "receive: ";
  require(group, peer >= 0 && peer < group.size() && peer != group.rank(),
          what + "peer=" + std::to_string(peer) + ": must be another rank of the group");
  require(group, tag >= 0 && tag < num_tags,
          what + "tag=" + std::to_string(tag) + ": allowed are 0 to " + std::to_string(num_tags - 1));
}

}  // namespace ds
