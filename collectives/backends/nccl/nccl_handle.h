// One NCCL communicator with its stream and scratch memory, over the CUDA module's table. Calls of a non-blocking
// communicator finish later: ready() says when the next one may be made.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "cuda/loader.h"

namespace ds {

class NcclHandle {
 public:
  // Joins a communicator; not ready until all its ranks have. `label` names it in errors ("group data (size 4)").
  NcclHandle(std::shared_ptr<const CudaModule> module, std::string label, int size, const char* id, int rank);
  // Aborts when something is under way or has failed or an exception passes: then it waits for nobody. Else it destroys,
  // which NCCL does together with the ranks of the same host.
  ~NcclHandle();
  NcclHandle(const NcclHandle&) = delete;
  NcclHandle& operator=(const NcclHandle&) = delete;

  static std::string unique_id(const CudaModule& module);

  // The child's communicator is there when both handles are ready; nullptr for color < 0. Collective.
  std::unique_ptr<NcclHandle> split(int color, int key, const std::string& label);

  // False while NCCL is still at the last call. Throws kInternal when the communicator has failed or was aborted.
  bool ready();
  void check_nccl(int code, const char* what);
  void check_cuda(int code, const char* what) const;
  void abort(const std::string& why) noexcept;  // once; later uses throw with the reason
  bool aborted() const { return !abort_reason_.empty(); }
  void throw_if_aborted();  // after an abort the stream runs empty, which must not look like success
  bool idle() const { return waiting_.empty(); }  // no operation is still to be enqueued

  // Who may make the next call: operations in the order in which they were started.
  void queue(const void* operation) { waiting_.push_back(operation); }
  bool is_next(const void* operation) const { return !waiting_.empty() && waiting_.front() == operation; }
  void leave(const void* operation) { std::erase(waiting_, operation); }

  // Device memory for the operation that is launched next; ordered by the stream. Grows.
  void* scratch(size_t bytes);

  const DsCudaModule& table() const { return *module_->table; }
  void* comm() const { return comm_; }
  void* stream() const { return stream_; }

 private:
  NcclHandle(std::shared_ptr<const CudaModule> module, std::string label);
  [[noreturn]] void fail(const std::string& why);

  std::shared_ptr<const CudaModule> module_;
  std::string label_, abort_reason_;
  void* comm_ = nullptr;
  void* stream_ = nullptr;
  bool in_progress_ = false;
  std::deque<const void*> waiting_;
  std::vector<void*> scratch_;  // the last one is in use; earlier ones may still be read
  size_t scratch_bytes_ = 0;
};

}  // namespace ds
