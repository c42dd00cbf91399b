#include "tests/support/fake_cuda.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

#include "collectives/ordered_sum.h"
#include "cuda/arithmetic/adam.h"
#include "cuda/arithmetic/block_squares.h"
#include "cuda/arithmetic/elements.h"
#include "tests/support/fake_cuda_streams.h"
#include "tests/support/fake_nccl.h"

namespace ds::fake_cuda {
namespace {

namespace arith = ds::arithmetic;
std::atomic<int> alive = 0, devices = 8;
std::atomic<const char*> host_begin = nullptr, host_end = nullptr;

struct Event {
  Stream* stream = nullptr;
  int64_t after = 0;
};

template <class Function>
int with_element(int dtype, Function f) {
  switch (static_cast<DType>(dtype)) {
    case DType::kFloat32: f(arith::Plain<float>()); return 0;
    case DType::kBFloat16: f(arith::BFloat16()); return 0;
    case DType::kFloat16: f(arith::Float16()); return 0;
    default: return 1;
  }
}

int take(void** data, size_t bytes) {
  *data = ::operator new(bytes);
  count_alive(1);
  return 0;
}
int give(void* data) {
  ::operator delete(data);
  count_alive(-1);
  return 0;
}

int copy(void* to, const void* from, size_t bytes, void* stream) {
  enqueue(stream, [=] {
    if (bytes > 0) std::memmove(to, from, bytes);
    return true;
  });
  return 0;
}

int ordered_sum(void* out, const void* leaves, int n, int64_t count, int dtype, int op, void* stream) {
  enqueue(stream, [=] {
    std::vector<const void*> pieces;
    const size_t bytes = static_cast<size_t>(count) * size_of(static_cast<DType>(dtype));
    for (int k = 0; k < n; ++k) pieces.push_back(static_cast<const char*>(leaves) + static_cast<size_t>(k) * bytes);
    reduce_in_order(out, pieces, count, static_cast<DType>(dtype), static_cast<ReduceOp>(op));
    return true;
  });
  return 0;
}

int adam(const DsAdamRange* range, const DsAdamStep* step, void* stream) {
  enqueue(stream, [r = *range, factors = arith::adam_factors(*step)] {
    with_element(r.gradient_dtype, [&](auto gradient) {
      with_element(r.work ? r.work_dtype : 0, [&](auto work) {
        using G = decltype(gradient);
        using W = decltype(work);
        for (int64_t i = 0; i < r.count; ++i) {
          arith::adam_element(r.master[i], r.exp_avg[i], r.exp_avg_sq[i],
                              G::widen(static_cast<const typename G::Stored*>(r.gradient)[i]), factors);
          if (r.work) static_cast<typename W::Stored*>(r.work)[i] = W::narrow(r.master[i]);
        }
      });
    });
    return true;
  });
  return 0;
}

int block_squares(const void* values, int dtype, int64_t count, double* sums, void* stream) {
  enqueue(stream, [=] {
    with_element(dtype, [&](auto element) {
      using E = decltype(element);
      for (int64_t b = 0; b * arith::kSquaresBlock < count; ++b) {
        const auto* block = static_cast<const typename E::Stored*>(values) + b * arith::kSquaresBlock;
        double l[arith::kSquaresLanes];
        for (int lane = 0; lane < arith::kSquaresLanes; ++lane) l[lane] = arith::lane_squares<E>(block, lane);
        sums[b] = ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
      }
    });
    return true;
  });
  return 0;
}

int scale(void* values, int dtype, int64_t count, float factor, void* stream) {
  enqueue(stream, [=] {
    with_element(dtype, [&](auto element) {
      using E = decltype(element);
      auto* x = static_cast<typename E::Stored*>(values);
      for (int64_t i = 0; i < count; ++i) x[i] = E::narrow(E::widen(x[i]) * factor);
    });
    return true;
  });
  return 0;
}

int cast(const void* in, int in_dtype, void* out, int out_dtype, int64_t count, void* stream) {
  enqueue(stream, [=] {
    with_element(in_dtype, [&](auto from) {
      with_element(out_dtype, [&](auto to) {
        using In = decltype(from);
        using Out = decltype(to);
        for (int64_t i = 0; i < count; ++i)
          static_cast<typename Out::Stored*>(out)[i] =
              Out::narrow(In::widen(static_cast<const typename In::Stored*>(in)[i]));
      });
    });
    return true;
  });
  return 0;
}

int accumulate(float* sum, const void* values, int dtype, int64_t count, void* stream) {
  enqueue(stream, [=] {
    with_element(dtype, [&](auto element) {
      using E = decltype(element);
      for (int64_t i = 0; i < count; ++i) sum[i] += E::widen(static_cast<const typename E::Stored*>(values)[i]);
    });
    return true;
  });
  return 0;
}

int count_not_finite(const void* values, int dtype, int64_t count, uint64_t* counter, void* stream) {
  enqueue(stream, [=] {
    with_element(dtype, [&](auto element) {
      using E = decltype(element);
      for (int64_t i = 0; i < count; ++i)
        *counter += !std::isfinite(E::widen(static_cast<const typename E::Stored*>(values)[i]));
    });
    return true;
  });
  return 0;
}

DsCudaModule make_table() {
  DsCudaModule t{};
  t.version = DS_CUDA_MODULE_VERSION;
  t.bytes = sizeof t;
  t.runtime_version = 13000;
  t.nccl_version = 22907;
  t.cuda_error = [](int code) { return code == 101 ? "cudaErrorInvalidDevice (101): invalid device ordinal" : "fake"; };
  t.device_count = [](int* count) { return *count = devices, 0; };
  t.set_device = [](int device) { return device < devices ? 0 : 101; };
  t.is_device_memory = [](const void* data, int* is_device) {
    const auto* at = static_cast<const char*>(data);
    return *is_device = data && !(host_begin <= at && at < host_end), 0;
  };
  t.stream_create = [](void** stream) { return *stream = new Stream, count_alive(1), 0; };
  t.stream_destroy = [](void* stream) { return delete static_cast<Stream*>(stream), count_alive(-1), 0; };
  t.stream_follow_default = [](void*) { return 0; };
  t.stream_synchronize = [](void* stream) {
    auto* s = static_cast<Stream*>(stream);
    while (s && !s->jobs.empty()) s->move();
    return 0;
  };
  t.event_create = [](void** event) { return *event = new Event, count_alive(1), 0; };
  t.event_destroy = [](void* event) { return delete static_cast<Event*>(event), count_alive(-1), 0; };
  t.event_record = [](void* event, void* stream) {
    auto* s = static_cast<Stream*>(stream);
    *static_cast<Event*>(event) = {s, s ? s->enqueued : 0};
    return 0;
  };
  t.event_query = [](void* event, int* done) {
    auto* e = static_cast<Event*>(event);
    if (e->stream) e->stream->move();
    return *done = !e->stream || e->stream->finished >= e->after, 0;
  };
  t.allocate = take;
  t.release = give;
  t.allocate_pinned = take;
  t.release_pinned = give;
  t.copy = copy;
  t.ordered_sum = ordered_sum;
  t.adam = adam;
  t.block_squares = block_squares;
  t.scale = scale;
  t.cast = cast;
  t.accumulate = accumulate;
  t.count_not_finite = count_not_finite;
  fill_nccl(t);
  return t;
}

}  // namespace

void enqueue(void* stream, Stream::Job job) {
  if (stream)
    static_cast<Stream*>(stream)->enqueue(std::move(job));
  else
    job();
}

void count_alive(int change) { alive += change; }
int num_alive() { return alive; }

void set_host_memory(const void* begin, const void* end) {
  host_begin = static_cast<const char*>(begin);
  host_end = static_cast<const char*>(end);
}

const DsCudaModule& table() {
  static const DsCudaModule made = make_table();
  return made;
}

CudaSupport support(int num_devices) {
  CudaSupport support;
  support.module = std::make_shared<CudaModule>(CudaModule{&table(), "fake"});
  support.num_devices = num_devices;
  if (num_devices == 0) support.absence = "no CUDA device is visible";
  return support;
}

}  // namespace ds::fake_cuda
