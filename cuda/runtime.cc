#include "cuda/runtime.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

namespace ds::runtime {
namespace {

cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t event_of(void* event) { return static_cast<cudaEvent_t>(event); }

constexpr int kOldestMajor = 8;  // compute capability of the first of the architectures in cuda/CMakeLists.txt

// A failure that was told is not left behind for the next call.
int told(cudaError_t code) {
  if (code != cudaSuccess) cudaGetLastError();
  return code;
}

int oldest_major(int count, int* oldest) {
  *oldest = kOldestMajor;
  for (int device = 0; device < count; ++device) {
    int major = 0;
    if (const int code = told(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device))) return code;
    *oldest = std::min(*oldest, major);
  }
  return 0;
}

}  // namespace

// Valid until the thread's next call.
const char* cuda_error(int code) {
  static thread_local std::string text;
  const auto error = static_cast<cudaError_t>(code);
  text = std::string(cudaGetErrorName(error)) + " (" + std::to_string(code) + "): " + cudaGetErrorString(error);
  return text.c_str();
}

int device_count(int* count) {
  *count = 0;
  if (const int code = told(cudaGetDeviceCount(count))) return code == cudaErrorNoDevice ? 0 : code;
  int oldest = 0;
  if (const int code = oldest_major(*count, &oldest)) return code;
  return oldest < kOldestMajor ? cudaErrorNoKernelImageForDevice : 0;
}

int set_device(int device) { return told(cudaSetDevice(device)); }

int is_device_memory(const void* data, int* is_device) {
  cudaPointerAttributes attributes{};
  const cudaError_t code = cudaPointerGetAttributes(&attributes, data);
  *is_device = attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  return told(code);
}

// Not blocking: it waits for the default stream where it is told to, and otherwise runs beside it.
int stream_create(void** stream) {
  return cudaStreamCreateWithFlags(reinterpret_cast<cudaStream_t*>(stream), cudaStreamNonBlocking);
}
int stream_destroy(void* stream) { return cudaStreamDestroy(stream_of(stream)); }
int stream_synchronize(void* stream) { return cudaStreamSynchronize(stream_of(stream)); }

int stream_follow_default(void* stream) {
  cudaEvent_t event = nullptr;
  cudaError_t code = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  if (code != cudaSuccess) return code;
  code = cudaEventRecord(event, nullptr);
  if (code == cudaSuccess) code = cudaStreamWaitEvent(stream_of(stream), event, 0);
  cudaEventDestroy(event);  // freed when it has happened
  return code;
}

int event_create(void** event) {
  return cudaEventCreateWithFlags(reinterpret_cast<cudaEvent_t*>(event), cudaEventDisableTiming);
}
int event_destroy(void* event) { return cudaEventDestroy(event_of(event)); }
int event_record(void* event, void* stream) { return cudaEventRecord(event_of(event), stream_of(stream)); }

int event_query(void* event, int* done) {
  const cudaError_t code = cudaEventQuery(event_of(event));
  *done = code == cudaSuccess;
  if (code == cudaErrorNotReady) cudaGetLastError();
  return code == cudaErrorNotReady ? 0 : code;
}

int allocate(void** data, size_t bytes) { return told(cudaMalloc(data, bytes)); }
int release(void* data) { return cudaFree(data); }
int allocate_pinned(void** data, size_t bytes) { return told(cudaMallocHost(data, bytes)); }
int release_pinned(void* data) { return cudaFreeHost(data); }
int copy(void* to, const void* from, size_t bytes, void* stream) {
  return bytes == 0 ? 0 : cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(stream));
}

}  // namespace ds::runtime
