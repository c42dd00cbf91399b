// NCCL's calls, with the signatures and promises of cuda/module.h. A build has nccl_calls.cc or no_nccl_calls.cc.
#pragma once

#include <cstdint>

namespace ds::nccl {

int header_version();
const char* absence();
const char* error(int code);
int runtime_version(int* version);
int unique_id(char* id);
int init(void** comm, int size, const char* id, int rank);
int split(void* comm, int color, int key, void** child);
int state(void* comm, int* state);
int abort(void* comm);
int destroy(void* comm);
int group_start();
int group_end();
int send(const void* data, int64_t count, int dtype, int peer, void* comm, void* stream);
int receive(void* data, int64_t count, int dtype, int peer, void* comm, void* stream);
int all_gather(const void* in, void* out, int64_t in_count, int dtype, void* comm, void* stream);
int broadcast(void* data, int64_t count, int dtype, int root, void* comm, void* stream);
int all_reduce(void* data, int64_t count, int dtype, int op, void* comm, void* stream);
int reduce_scatter(const void* in, void* out, int64_t out_count, int dtype, int op, void* comm, void* stream);

}  // namespace ds::nccl
