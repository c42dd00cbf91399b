// The module's one exported function.
#include <cuda_runtime_api.h>

#include "cuda/kernels/kernels.h"
#include "cuda/module.h"
#include "cuda/nccl_calls.h"
#include "cuda/runtime.h"

namespace ds {
namespace {

DsCudaModule make_table() {
  DsCudaModule t{};
  t.version = DS_CUDA_MODULE_VERSION;
  t.bytes = sizeof t;
  t.runtime_version = CUDART_VERSION;
  t.nccl_version = nccl::header_version();
  t.cuda_error = runtime::cuda_error;
  t.device_count = runtime::device_count;
  t.set_device = runtime::set_device;
  t.is_device_memory = runtime::is_device_memory;
  t.stream_create = runtime::stream_create;
  t.stream_destroy = runtime::stream_destroy;
  t.stream_follow_default = runtime::stream_follow_default;
  t.stream_synchronize = runtime::stream_synchronize;
  t.event_create = runtime::event_create;
  t.event_destroy = runtime::event_destroy;
  t.event_record = runtime::event_record;
  t.event_query = runtime::event_query;
  t.allocate = runtime::allocate;
  t.release = runtime::release;
  t.allocate_pinned = runtime::allocate_pinned;
  t.release_pinned = runtime::release_pinned;
  t.copy = runtime::copy;
  t.ordered_sum = kernels::ordered_sum;
  t.adam = kernels::adam;
  t.block_squares = kernels::block_squares;
  t.scale = kernels::scale;
  t.cast = kernels::cast;
  t.accumulate = kernels::accumulate;
  t.count_not_finite = kernels::count_not_finite;
  t.nccl_absence = nccl::absence;
  t.nccl_error = nccl::error;
  t.nccl_runtime_version = nccl::runtime_version;
  t.nccl_unique_id = nccl::unique_id;
  t.nccl_init = nccl::init;
  t.nccl_split = nccl::split;
  t.nccl_state = nccl::state;
  t.nccl_abort = nccl::abort;
  t.nccl_destroy = nccl::destroy;
  t.nccl_group_start = nccl::group_start;
  t.nccl_group_end = nccl::group_end;
  t.nccl_send = nccl::send;
  t.nccl_receive = nccl::receive;
  t.nccl_all_gather = nccl::all_gather;
  t.nccl_broadcast = nccl::broadcast;
  t.nccl_all_reduce = nccl::all_reduce;
  t.nccl_reduce_scatter = nccl::reduce_scatter;
  return t;
}

}  // namespace
}  // namespace ds

extern "C" __attribute__((visibility("default"))) const DsCudaModule* dslaunch_cuda_module(void) {
  static const DsCudaModule table = ds::make_table();
  return &table;
}
