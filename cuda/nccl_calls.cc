// Compiled with NCCL's header, opened at run time: a host without NCCL can still use the kernels.
#include "cuda/nccl_calls.h"

#include <dlfcn.h>
#include <nccl.h>

#include <string>

#include "cuda/module.h"

static_assert(NCCL_UNIQUE_ID_BYTES == DS_NCCL_ID_BYTES);
static_assert(ncclSuccess == DS_NCCL_SUCCESS && ncclInProgress == DS_NCCL_IN_PROGRESS);
static_assert(NCCL_VERSION_CODE >= NCCL_VERSION(2, 18, 1), "NCCL before 2.18 has no ncclCommSplit");

namespace ds::nccl {
namespace {

struct Library {
  std::string absence;
  decltype(&ncclGetVersion) version = nullptr;
  decltype(&ncclGetErrorString) error_string = nullptr;
  decltype(&ncclGetUniqueId) unique_id = nullptr;
  decltype(&ncclCommInitRankConfig) init = nullptr;
  decltype(&ncclCommSplit) split = nullptr;
  decltype(&ncclCommGetAsyncError) state = nullptr;
  decltype(&ncclCommAbort) abort = nullptr;
  decltype(&ncclCommDestroy) destroy = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) receive = nullptr;
  decltype(&ncclAllGather) all_gather = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  decltype(&ncclReduceScatter) reduce_scatter = nullptr;
  decltype(&ncclGetLastError) last_error = nullptr;  // older libraries have none

  template <class Function>
  void find(void* handle, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (!function && absence.empty()) absence = std::string("libnccl.so.2 has no ") + name + ": it is too old";
  }

  Library() {
    // By name: the loader's own paths first, then this module's (CMake's NCCL folder, or beside the module).
    void* handle = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      absence = dlerror();
      return;
    }
    find(handle, "ncclGetVersion", version);
    find(handle, "ncclGetErrorString", error_string);
    find(handle, "ncclGetUniqueId", unique_id);
    find(handle, "ncclCommInitRankConfig", init);
    find(handle, "ncclCommSplit", split);
    find(handle, "ncclCommGetAsyncError", state);
    find(handle, "ncclCommAbort", abort);
    find(handle, "ncclCommDestroy", destroy);
    find(handle, "ncclGroupStart", group_start);
    find(handle, "ncclGroupEnd", group_end);
    find(handle, "ncclSend", send);
    find(handle, "ncclRecv", receive);
    find(handle, "ncclAllGather", all_gather);
    find(handle, "ncclBroadcast", broadcast);
    find(handle, "ncclAllReduce", all_reduce);
    find(handle, "ncclReduceScatter", reduce_scatter);
    last_error = reinterpret_cast<decltype(last_error)>(dlsym(handle, "ncclGetLastError"));
  }
};

// A loaded library is one per process whatever we do.
const Library& library() {
  static const Library loaded;
  return loaded;
}

ncclComm_t comm_of(void* comm) { return static_cast<ncclComm_t>(comm); }
cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }

// Bytes an element, by ds::DType; data that is only moved travels as bytes, so NCCL need not know its type.
size_t bytes_of(int64_t count, int dtype) {
  constexpr size_t kSizes[] = {4, 2, 2, 8, 8, 4, 2, 1};
  return static_cast<size_t>(count) * kSizes[dtype];
}

constexpr int kUInt16 = 6;  // NCCL has no such type
constexpr ncclDataType_t kTypes[] = {ncclFloat32, ncclBfloat16, ncclFloat16, ncclFloat64,
                                     ncclInt64,   ncclInt32,    ncclUint8,   ncclUint8};
constexpr ncclRedOp_t kOps[] = {ncclSum, ncclMax, ncclMin};

ncclConfig_t non_blocking() {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  return config;
}

}  // namespace

int header_version() { return NCCL_VERSION_CODE; }
const char* absence() { return library().absence.empty() ? nullptr : library().absence.c_str(); }

// Valid until the thread's next call.
const char* error(int code) {
  if (absence()) return absence();
  static thread_local std::string text;
  text = library().error_string(static_cast<ncclResult_t>(code));
  const char* reason = library().last_error ? library().last_error(nullptr) : nullptr;
  if (reason && *reason) text += std::string(": ") + reason;
  return text.c_str();
}

int runtime_version(int* version) { return library().version ? library().version(version) : ncclSystemError; }

int unique_id(char* id) { return library().unique_id(reinterpret_cast<ncclUniqueId*>(id)); }

int init(void** comm, int size, const char* id, int rank) {
  ncclConfig_t config = non_blocking();
  return library().init(reinterpret_cast<ncclComm_t*>(comm), size, *reinterpret_cast<const ncclUniqueId*>(id), rank,
                        &config);
}

int split(void* comm, int color, int key, void** child) {
  ncclConfig_t config = non_blocking();
  return library().split(comm_of(comm), color < 0 ? NCCL_SPLIT_NOCOLOR : color, key,
                         reinterpret_cast<ncclComm_t*>(child), &config);
}

int state(void* comm, int* state) {
  ncclResult_t result = ncclSuccess;
  const ncclResult_t code = library().state(comm_of(comm), &result);
  *state = result;
  return code;
}

int abort(void* comm) { return library().abort(comm_of(comm)); }
int destroy(void* comm) { return library().destroy(comm_of(comm)); }
int group_start() { return library().group_start(); }
int group_end() { return library().group_end(); }

int send(const void* data, int64_t count, int dtype, int peer, void* comm, void* stream) {
  return library().send(data, bytes_of(count, dtype), ncclUint8, peer, comm_of(comm), stream_of(stream));
}
int receive(void* data, int64_t count, int dtype, int peer, void* comm, void* stream) {
  return library().receive(data, bytes_of(count, dtype), ncclUint8, peer, comm_of(comm), stream_of(stream));
}
int all_gather(const void* in, void* out, int64_t in_count, int dtype, void* comm, void* stream) {
  return library().all_gather(in, out, bytes_of(in_count, dtype), ncclUint8, comm_of(comm), stream_of(stream));
}
int broadcast(void* data, int64_t count, int dtype, int root, void* comm, void* stream) {
  return library().broadcast(data, data, bytes_of(count, dtype), ncclUint8, root, comm_of(comm), stream_of(stream));
}
int all_reduce(void* data, int64_t count, int dtype, int op, void* comm, void* stream) {
  if (dtype == kUInt16) return ncclInvalidArgument;
  return library().all_reduce(data, data, static_cast<size_t>(count), kTypes[dtype], kOps[op], comm_of(comm),
                              stream_of(stream));
}
int reduce_scatter(const void* in, void* out, int64_t out_count, int dtype, int op, void* comm, void* stream) {
  if (dtype == kUInt16) return ncclInvalidArgument;
  return library().reduce_scatter(in, out, static_cast<size_t>(out_count), kTypes[dtype], kOps[op], comm_of(comm),
                                  stream_of(stream));
}

}  // namespace ds::nccl
