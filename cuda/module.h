/* The CUDA part of the project as one table of functions: what libdslaunch_cuda.so gives to whoever loads it.
 *
 * Plain C, no CUDA, NCCL or torch header: programs are built without any of them, and a test can give a table of its
 * own (tests/support/fake_cuda.h). Every function returns 0 or the code of its library (cudaError_t, ncclResult_t),
 * unless said otherwise. Pointers named `data`, `in`, `out`, ... are device memory; counts are elements; `dtype` and
 * `op` are the values of ds::DType and ds::ReduceOp. Work is enqueued on `stream` and has not happened when a function
 * returns. A change of anything below raises DS_CUDA_MODULE_VERSION. */
#ifndef DSLAUNCH_CUDA_MODULE_H
#define DSLAUNCH_CUDA_MODULE_H

#include <stddef.h>
#include <stdint.h>

#define DS_CUDA_MODULE_VERSION 1
#define DS_CUDA_MODULE_SYMBOL "dslaunch_cuda_module"
#define DS_NCCL_ID_BYTES 128

/* Answers of nccl_state and of NCCL calls that are not failures. */
#define DS_NCCL_SUCCESS 0
#define DS_NCCL_IN_PROGRESS 7

/* One step of Adam or AdamW over a flat range; cuda/arithmetic/adam.h has the formula. */
typedef struct DsAdamRange {
  float* master;
  float* exp_avg;
  float* exp_avg_sq;
  const void* gradient; /* float32 or bfloat16 */
  void* work;           /* NULL, or where the new weights go in work_dtype */
  int gradient_dtype, work_dtype;
  int64_t count;
} DsAdamRange;

typedef struct DsAdamStep {
  double learning_rate, beta1, beta2, epsilon, weight_decay;
  int64_t step;       /* from 1; 0: no bias correction */
  float scale;        /* the gradients are multiplied by it first */
  int decoupled;      /* 1: AdamW, 0: Adam */
} DsAdamStep;

typedef struct DsCudaModule {
  uint32_t version; /* DS_CUDA_MODULE_VERSION of its build */
  uint32_t bytes;   /* sizeof(DsCudaModule) of its build */
  int32_t runtime_version; /* CUDART_VERSION, 13000 */
  int32_t nccl_version;    /* NCCL_VERSION_CODE of its headers, 0: built without NCCL */

  /* Devices and memory. */
  const char* (*cuda_error)(int code); /* "cudaErrorInsufficientDriver (35): ..." */
  int (*device_count)(int* count);
  int (*set_device)(int device);
  int (*is_device_memory)(const void* data, int* is_device);
  int (*stream_create)(void** stream);
  int (*stream_destroy)(void* stream);
  /* `stream` waits for everything enqueued so far on the default stream, where libtorch computes. */
  int (*stream_follow_default)(void* stream);
  int (*stream_synchronize)(void* stream);
  int (*event_create)(void** event);
  int (*event_destroy)(void* event);
  int (*event_record)(void* event, void* stream);
  int (*event_query)(void* event, int* done);
  int (*allocate)(void** data, size_t bytes);
  int (*release)(void* data);
  int (*allocate_pinned)(void** data, size_t bytes);
  int (*release_pinned)(void* data);
  int (*copy)(void* to, const void* from, size_t bytes, void* stream); /* any direction */

  /* Kernels. */
  /* out[i] = the reduction of the n values leaves[k * count + i] in the fixed tree of collectives/ordered_sum.h. */
  int (*ordered_sum)(void* out, const void* leaves, int n, int64_t count, int dtype, int op, void* stream);
  int (*adam)(const DsAdamRange* range, const DsAdamStep* step, void* stream);
  /* sums[b] = sum of squares of block b of 256 elements in fp64; float32 or bfloat16, count a multiple of 256. */
  int (*block_squares)(const void* values, int dtype, int64_t count, double* sums, void* stream);
  int (*scale)(void* values, int dtype, int64_t count, float factor, void* stream);
  int (*cast)(const void* in, int in_dtype, void* out, int out_dtype, int64_t count, void* stream);
  int (*accumulate)(float* sum, const void* values, int dtype, int64_t count, void* stream);
  /* *counter += number of infinities and NaNs. */
  int (*count_not_finite)(const void* values, int dtype, int64_t count, uint64_t* counter, void* stream);

  /* NCCL. Communicators are non-blocking: a call that answers DS_NCCL_IN_PROGRESS is over when nccl_state says 0. */
  const char* (*nccl_absence)(void); /* why NCCL cannot be used on this machine, NULL: it can */
  const char* (*nccl_error)(int code);
  int (*nccl_runtime_version)(int* version); /* of the library found at run time */
  int (*nccl_unique_id)(char id[DS_NCCL_ID_BYTES]);
  int (*nccl_init)(void** comm, int size, const char id[DS_NCCL_ID_BYTES], int rank);
  int (*nccl_split)(void* comm, int color, int key, void** child); /* color < 0: takes part, gets NULL */
  int (*nccl_state)(void* comm, int* state);
  int (*nccl_abort)(void* comm);
  int (*nccl_destroy)(void* comm);
  int (*nccl_group_start)(void);
  int (*nccl_group_end)(void);
  int (*nccl_send)(const void* data, int64_t count, int dtype, int peer, void* comm, void* stream);
  int (*nccl_receive)(void* data, int64_t count, int dtype, int peer, void* comm, void* stream);
  int (*nccl_all_gather)(const void* in, void* out, int64_t in_count, int dtype, void* comm, void* stream);
  int (*nccl_broadcast)(void* data, int64_t count, int dtype, int root, void* comm, void* stream);
  int (*nccl_all_reduce)(void* data, int64_t count, int dtype, int op, void* comm, void* stream);
  int (*nccl_reduce_scatter)(const void* in, void* out, int64_t out_count, int dtype, int op, void* comm, void* stream);
} DsCudaModule;

/* The module's one exported function. */
typedef const DsCudaModule* (*DsCudaModuleFunction)(void);

#endif
