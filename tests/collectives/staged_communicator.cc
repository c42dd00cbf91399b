#include "tests/collectives/staged_communicator.h"

#include <exception>
#include <stdexcept>
#include <vector>

namespace ds::contract {
namespace {

void check(const CudaModule& module, int code) {
  if (code != 0) throw std::runtime_error(module.table->cuda_error(code));
}

// A tensor's copy on the device; an empty tensor has none.
class DeviceCopy {
 public:
  DeviceCopy(const CudaModule& module, ConstTensorView host) : module_(module), host_(host) {
    if (bytes() == 0) return;
    check(module_, module_.table->allocate(&data_, bytes()));
    move(data_, host_.data);
  }
  ~DeviceCopy() {
    if (data_) module_.table->release(data_);
  }
  DeviceCopy(const DeviceCopy&) = delete;
  DeviceCopy& operator=(const DeviceCopy&) = delete;

  TensorView view() const { return {data_, host_.count, host_.dtype}; }
  void read_back() const {
    if (data_) move(const_cast<void*>(host_.data), data_);
  }

 private:
  size_t bytes() const { return static_cast<size_t>(host_.count) * size_of(host_.dtype); }
  void move(void* to, const void* from) const {
    check(module_, module_.table->copy(to, from, bytes(), nullptr));
    check(module_, module_.table->stream_synchronize(nullptr));
  }
  const CudaModule& module_;
  const ConstTensorView host_;
  void* data_ = nullptr;
};

class StagedOperation final : public Operation {
 public:
  explicit StagedOperation(std::vector<std::unique_ptr<DeviceCopy>> inputs) : inputs_(std::move(inputs)) {}
  ~StagedOperation() override {
    if (done_ || std::uncaught_exceptions() > exceptions_at_start_) return;
    try {
      wait();
    } catch (...) {  // a handle that is thrown away has nobody to tell
    }
  }
  void start(Work work, std::unique_ptr<DeviceCopy> output) {
    work_ = std::move(work);
    output_ = std::move(output);
  }
  bool test() override { return done_ || (work_.test() && finish()); }
  void wait() override {
    if (done_) return;
    work_.wait();
    finish();
  }

 private:
  bool finish() {
    if (output_) output_->read_back();
    return done_ = true;
  }
  const int exceptions_at_start_ = std::uncaught_exceptions();
  std::vector<std::unique_ptr<DeviceCopy>> inputs_;
  std::unique_ptr<DeviceCopy> output_;
  Work work_;  // first to go: it waits for the memory above
  bool done_ = false;
};

class StagedCommunicator final : public Communicator {
 public:
  StagedCommunicator(std::unique_ptr<Communicator> inner, std::shared_ptr<const CudaModule> module)
      : inner_(std::move(inner)), module_(std::move(module)) {}

  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  const std::string& name() const override { return inner_->name(); }
  const std::vector<int>& world_ranks() const override { return inner_->world_ranks(); }
  const CommunicatorOptions& options() const override { return inner_->options(); }
  const Traffic& traffic() const override { return inner_->traffic(); }
  void reset_traffic() override { inner_->reset_traffic(); }
  Work barrier() override { return inner_->barrier(); }

  Work all_reduce(TensorView inout, ReduceOp op) override {
    return with_output(inout, [&](TensorView v) { return inner_->all_reduce(v, op); });
  }
  Work broadcast(TensorView inout, int root) override {
    return with_output(inout, [&](TensorView v) { return inner_->broadcast(v, root); });
  }
  Work receive(TensorView data, int peer, int tag) override {
    return with_output(data, [&](TensorView v) { return inner_->receive(v, peer, tag); });
  }
  Work all_gather(ConstTensorView in, TensorView out) override {
    return with_both(in, out, [&](ConstTensorView i, TensorView o) { return inner_->all_gather(i, o); });
  }
  Work reduce_scatter(ConstTensorView in, TensorView out, ReduceOp op) override {
    return with_both(in, out, [&](ConstTensorView i, TensorView o) { return inner_->reduce_scatter(i, o, op); });
  }
  Work all_to_all(ConstTensorView in, TensorView out) override {
    return with_both(in, out, [&](ConstTensorView i, TensorView o) { return inner_->all_to_all(i, o); });
  }
  Work send(ConstTensorView data, int peer, int tag) override {
    return with_both(data, {}, [&](ConstTensorView i, TensorView) { return inner_->send(i, peer, tag); });
  }
  std::unique_ptr<Communicator> split(const std::vector<int>& ranks, const std::string& name) override {
    auto child = inner_->split(ranks, name);
    return child ? staged(std::move(child), module_) : nullptr;
  }

 private:
  template <class Function>
  Work with_output(TensorView out, Function f) {
    auto copy = std::make_unique<DeviceCopy>(*module_, out);
    auto operation = std::make_unique<StagedOperation>(std::vector<std::unique_ptr<DeviceCopy>>());
    Work work = f(copy->view());
    operation->start(std::move(work), std::move(copy));
    return Work(std::move(operation));
  }
  template <class Function>
  Work with_both(ConstTensorView in, TensorView out, Function f) {
    std::vector<std::unique_ptr<DeviceCopy>> inputs;
    inputs.push_back(std::make_unique<DeviceCopy>(*module_, in));
    auto copy = std::make_unique<DeviceCopy>(*module_, out);
    Work work = f(inputs[0]->view(), copy->view());
    auto operation = std::make_unique<StagedOperation>(std::move(inputs));
    operation->start(std::move(work), std::move(copy));
    return Work(std::move(operation));
  }

  std::unique_ptr<Communicator> inner_;
  std::shared_ptr<const CudaModule> module_;
};

}  // namespace

std::unique_ptr<Communicator> staged(std::unique_ptr<Communicator> inner, std::shared_ptr<const CudaModule> module) {
  return std::make_unique<StagedCommunicator>(std::move(inner), std::move(module));
}

}  // namespace ds::contract
