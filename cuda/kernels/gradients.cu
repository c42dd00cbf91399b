// What happens to a flat gradient between backward and the update: scaling, adding up micro-steps in fp32, changing
// type, looking for values that are not finite.
#include "cuda/kernels/kernels.h"
#include "cuda/kernels/launch.h"

namespace ds::kernels {
namespace {

template <class Element>
__global__ void scale_all(typename Element::Stored* values, int64_t count, float factor) {
  for (int64_t i = first_index(); i < count; i += index_stride())
    values[i] = Element::narrow(Element::widen(values[i]) * factor);
}

template <class In, class Out>
__global__ void cast_all(const typename In::Stored* in, typename Out::Stored* out, int64_t count) {
  for (int64_t i = first_index(); i < count; i += index_stride()) out[i] = Out::narrow(In::widen(in[i]));
}

template <class Element>
__global__ void add_all(float* sum, const typename Element::Stored* values, int64_t count) {
  for (int64_t i = first_index(); i < count; i += index_stride()) sum[i] += Element::widen(values[i]);
}

template <class Element>
__global__ void count_all(const typename Element::Stored* values, int64_t count, unsigned long long* counter) {
  unsigned long long found = 0;
  for (int64_t i = first_index(); i < count; i += index_stride())
    found += (arithmetic::bits_of(Element::widen(values[i])) & 0x7f800000u) == 0x7f800000u;
  if (found > 0) atomicAdd(counter, found);  // whole numbers: the order does not matter
}

}  // namespace

int scale(void* values, int dtype, int64_t count, float factor, void* stream) {
  if (count == 0) return 0;
  return launched(with_small_float(dtype, [&](auto element) {
    using Element = decltype(element);
    scale_all<Element><<<blocks_for(count), kThreads, 0, stream_of(stream)>>>(
        static_cast<typename Element::Stored*>(values), count, factor);
  }));
}

int cast(const void* in, int in_dtype, void* out, int out_dtype, int64_t count, void* stream) {
  if (count == 0) return 0;
  bool known = false;
  with_small_float(in_dtype, [&](auto from) {
    known = with_small_float(out_dtype, [&](auto to) {
      using In = decltype(from);
      using Out = decltype(to);
      cast_all<In, Out><<<blocks_for(count), kThreads, 0, stream_of(stream)>>>(
          static_cast<const typename In::Stored*>(in), static_cast<typename Out::Stored*>(out), count);
    });
  });
  return launched(known);
}

int accumulate(float* sum, const void* values, int dtype, int64_t count, void* stream) {
  if (count == 0) return 0;
  return launched(with_small_float(dtype, [&](auto element) {
    using Element = decltype(element);
    add_all<Element><<<blocks_for(count), kThreads, 0, stream_of(stream)>>>(
        sum, static_cast<const typename Element::Stored*>(values), count);
  }));
}

int count_not_finite(const void* values, int dtype, int64_t count, uint64_t* counter, void* stream) {
  if (count == 0) return 0;
  return launched(with_small_float(dtype, [&](auto element) {
    using Element = decltype(element);
    count_all<Element><<<blocks_for(count), kThreads, 0, stream_of(stream)>>>(
        static_cast<const typename Element::Stored*>(values), count, reinterpret_cast<unsigned long long*>(counter));
  }));
}

}  // namespace ds::kernels
