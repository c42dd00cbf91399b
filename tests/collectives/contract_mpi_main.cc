// The contract over MPI: every rank of an mpirun runs this program; all run the same cases in the same order.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "collectives/mpi_world.h"
#include "tests/collectives/contract.h"
#include "topology/base/error.h"

namespace {

using ds::contract::Case;

class MpiContract : public testing::Test {
 public:
  MpiContract(const Case& one, ds::MpiSession& session) : case_(one), session_(session) {}
  void TestBody() override {
    auto world = session_.world(case_.options);
    case_.body(*world);
  }

 private:
  Case case_;
  ds::MpiSession& session_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ds::MpiSession session;
  const auto world = session.world();
  for (const Case& one : ds::contract::all_cases())
    testing::RegisterTest("MpiContract", one.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [one, &session]() -> testing::Test* { return new MpiContract(one, session); });
  if (world->rank() != 0) {  // one report is enough; failures of other ranks are counted below
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (!getenv("CONTRACT_ALL_RANKS")) delete listeners.Release(listeners.default_result_printer());
  }
  int64_t failed = RUN_ALL_TESTS() == 0 ? 0 : 1;
  world->all_reduce({&failed, 1, ds::DType::kInt64}, ds::ReduceOp::kMax).wait();
  return failed == 0 ? 0 : 1;
}
