#include "collectives/backends/nccl/nccl_handle.h"

#include <algorithm>
#include <exception>

#include "topology/base/error.h"

namespace ds {

NcclHandle::NcclHandle(std::shared_ptr<const CudaModule> module, std::string label)
    : module_(std::move(module)), label_(std::move(label)) {
  check_cuda(table().stream_create(&stream_), "creating a stream");
}

NcclHandle::NcclHandle(std::shared_ptr<const CudaModule> module, std::string label, int size, const char* id, int rank)
    : NcclHandle(std::move(module), std::move(label)) {
  check_nccl(table().nccl_init(&comm_, size, id, rank), "ncclCommInitRankConfig");
}

NcclHandle::~NcclHandle() {
  // Destroying drains what is in flight to the network, but only together with the other ranks.
  const bool idle = waiting_.empty() && !in_progress_ && std::uncaught_exceptions() == 0;
  if (!aborted() && comm_ && idle)
    table().nccl_destroy(comm_);
  else
    abort("its owner is gone");
  for (void* memory : scratch_) table().release(memory);
  table().stream_destroy(stream_);
}

std::string NcclHandle::unique_id(const CudaModule& module) {
  std::string id(DS_NCCL_ID_BYTES, '\0');
  if (const int code = module.table->nccl_unique_id(id.data()); code != DS_NCCL_SUCCESS)
    throw Error(ErrorCode::kUnavailable,
                std::string("collectives: NCCL: ncclGetUniqueId: ") + module.table->nccl_error(code));
  return id;
}

std::unique_ptr<NcclHandle> NcclHandle::split(int color, int key, const std::string& label) {
  std::unique_ptr<NcclHandle> child(new NcclHandle(module_, label));
  check_nccl(table().nccl_split(comm_, color, key, &child->comm_), "ncclCommSplit");
  return child;
}

void NcclHandle::throw_if_aborted() {
  if (aborted()) fail(abort_reason_);
}

bool NcclHandle::ready() {
  throw_if_aborted();
  int state = DS_NCCL_SUCCESS;
  check_nccl(table().nccl_state(comm_, &state), "ncclCommGetAsyncError");
  in_progress_ = state == DS_NCCL_IN_PROGRESS;
  if (state != DS_NCCL_SUCCESS && !in_progress_) check_nccl(state, "asynchronous error");
  return !in_progress_;
}

void NcclHandle::check_nccl(int code, const char* what) {
  if (code == DS_NCCL_IN_PROGRESS) in_progress_ = true;
  if (code == DS_NCCL_SUCCESS || code == DS_NCCL_IN_PROGRESS) return;
  const std::string why = std::string(what) + ": " + table().nccl_error(code);
  abort(why);
  fail(why);
}

void NcclHandle::check_cuda(int code, const char* what) const {
  if (code == 0) return;
  throw Error(ErrorCode::kInternal, "collectives: " + label_ + ": CUDA: " + what + ": " + table().cuda_error(code));
}

void NcclHandle::abort(const std::string& why) noexcept {
  if (aborted()) return;
  abort_reason_ = why;
  if (comm_) table().nccl_abort(comm_);
}

void NcclHandle::fail(const std::string& why) {
  throw Error(ErrorCode::kInternal, "collectives: " + label_ + ": NCCL: aborted: " + why);
}

void* NcclHandle::scratch(size_t bytes) {
  if (bytes > scratch_bytes_) {
    void* memory = nullptr;
    const size_t wanted = std::max(bytes, 2 * scratch_bytes_);
    check_cuda(table().allocate(&memory, wanted), "allocating scratch memory");
    scratch_.push_back(memory);
    scratch_bytes_ = wanted;
  }
  return scratch_.empty() ? nullptr : scratch_.back();
}

}  // namespace ds
