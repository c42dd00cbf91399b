#include "collectives/torch_view.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include "topology/base/error.h"

namespace ds {
namespace {

TEST(TorchView, IsTheTensorsOwnMemory) {
  at::Tensor tensor = at::empty({3, 5}, at::kBFloat16);
  const TensorView view = view_of(tensor);
  EXPECT_EQ(view.data, tensor.data_ptr());
  EXPECT_EQ(view.count, 15);
  EXPECT_EQ(view.dtype, DType::kBFloat16);
  EXPECT_EQ(view_of(tensor.narrow(0, 1, 1)).data, static_cast<char*>(tensor.data_ptr()) + 10);
  EXPECT_EQ(view_of(at::empty({0}, at::kFloat)).count, 0);
}

TEST(TorchView, RefusesWhatIsNotPlainHostMemoryAndSaysWhich) {
  const at::Tensor tensor = at::arange(6).reshape({2, 3});
  try {
    view_of(tensor.t(), "gradient of wte");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("gradient of wte"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("contiguous"), std::string::npos);
  }
  EXPECT_THROW(view_of(at::empty({2}, at::kBool)), Error);
  EXPECT_THROW(view_of(at::Tensor()), Error);
  EXPECT_THROW(view_of(at::empty({2}, at::TensorOptions().dtype(at::kFloat).device(at::kMeta))), Error);
}

TEST(TorchView, TypesGoBothWays) {
  for (DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kFloat16, DType::kFloat64, DType::kInt64,
                      DType::kInt32, DType::kUInt16, DType::kUInt8})
    EXPECT_EQ(dtype_of(scalar_type_of(dtype)), dtype);
}

}  // namespace
}  // namespace ds
