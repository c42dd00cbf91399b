// Exceptions that end a rank, in one line each.
#include "engine/train/failure_text.h"

#include <gtest/gtest.h>

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <functional>
#include <new>
#include <stdexcept>

namespace ds {
namespace {

std::string told(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& failure) {
    return failure_text(failure);
  }
  return "nothing was thrown";
}

TEST(FailureText, TellsTheBytesThatTheHostDoesNotHave) {
  EXPECT_EQ(told([] { at::empty({int64_t{1} << 60}, at::kByte); }),
            "out of memory: the process needs 1152921504606846976 more bytes than the host gives");
  EXPECT_EQ(told([] { throw std::bad_alloc(); }), "out of memory: the process needs more than the host gives");
}

TEST(FailureText, LeavesOutFrames) {
  EXPECT_EQ(told([] { TORCH_CHECK(false, "odd shape"); }), "internal error: odd shape");
  EXPECT_EQ(told([] { TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate 2 GiB"); }),
            "out of memory: CUDA out of memory. Tried to allocate 2 GiB");
  EXPECT_EQ(told([] { throw std::runtime_error("broken"); }), "internal error: broken");
}

}  // namespace
}  // namespace ds
