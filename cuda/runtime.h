// Devices, streams, events and memory by CUDA's runtime, with the signatures and promises of cuda/module.h.
#pragma once

#include <cstddef>

namespace ds::runtime {

const char* cuda_error(int code);
int device_count(int* count);
int set_device(int device);
int is_device_memory(const void* data, int* is_device);
int stream_create(void** stream);
int stream_destroy(void* stream);
int stream_follow_default(void* stream);
int stream_synchronize(void* stream);
int event_create(void** event);
int event_destroy(void* event);
int event_record(void* event, void* stream);
int event_query(void* event, int* done);
int allocate(void** data, size_t bytes);
int release(void* data);
int allocate_pinned(void** data, size_t bytes);
int release_pinned(void* data);
int copy(void* to, const void* from, size_t bytes, void* stream);

}  // namespace ds::runtime
