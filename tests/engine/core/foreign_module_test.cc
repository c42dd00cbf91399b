// An unmodified foreign module (convolutions, an LSTM, a weight used twice, an unused parameter) under ZeRO 0-3 against
// the plain module with torch's own AdamW.
#include <filesystem>

#include <unistd.h>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>
#include <torch/optim/adamw.h>
#include <torch/utils.h>

#include "collectives/thread_world.h"
#include "engine/engine.h"
#include "engine/foreign/module_units.h"
#include "engine/random/philox.h"
#include "engine/unit.h"
#include "engine/zero/parameter_store.h"
#include "topology/base/error.h"

namespace ds {
namespace {

struct Net : torch::nn::Module {
  Net() {
    embed = register_module("embed", torch::nn::Embedding(23, 16));
    convs = register_module("convs", torch::nn::Sequential(torch::nn::Conv1d(torch::nn::Conv1dOptions(16, 24, 3).padding(1)),
                                                           torch::nn::Conv1d(torch::nn::Conv1dOptions(24, 16, 3).padding(1))));
    lstm = register_module("lstm", torch::nn::LSTM(torch::nn::LSTMOptions(16, 16).batch_first(true)));
    mix = register_module("mix", torch::nn::Linear(16, 16));
    unused = register_parameter("unused", torch::ones({7}));
    int64_t key = 0;
    torch::NoGradGuard no_grad;
    for (auto& p : parameters()) {
      std::vector<float> values(p.numel());
      counted_normal(random_key(3, std::to_string(key++)), 0, p.numel(), values.data());
      p.copy_(torch::from_blob(values.data(), p.sizes()) * 0.2);
    }
  }
  // `mix` is used twice; the embedding also as the output projection.
  torch::Tensor forward(const torch::Tensor& tokens, const torch::Tensor& labels) {
    torch::Tensor x = convs->forward(embed(tokens).transpose(1, 2)).transpose(1, 2);
    x = std::get<0>(lstm(x));
    x = torch::tanh(mix(torch::tanh(mix(x))));
    const torch::Tensor logits = torch::matmul(x, embed->weight.t());
    return torch::nn::functional::cross_entropy(logits.flatten(0, 1), labels.flatten());
  }
  torch::nn::Embedding embed{nullptr};
  torch::nn::Sequential convs{nullptr};
  torch::nn::LSTM lstm{nullptr};
  torch::nn::Linear mix{nullptr};
  torch::Tensor unused;
};

// Rows [first, first + rows) of step `step`.
torch::Tensor tokens(int step, int64_t first, int64_t rows) {
  torch::Tensor all = torch::empty({4, 9}, torch::kLong);
  for (int64_t i = 0; i < all.numel(); ++i)
    all.data_ptr<int64_t>()[i] = philox({static_cast<uint32_t>(i), static_cast<uint32_t>(step), 0, 0}, {1, 2})[0] % 23;
  return all.narrow(0, first, rows);
}

constexpr int kSteps = 5;
const char* kConfig = R"({"train_batch_size": 4, "optimizer": {"type": "AdamW",
  "params": {"lr": 0.01, "betas": [0.9, 0.99], "eps": 1e-8, "weight_decay": 0.1}},
  "gradient_clipping": 0, "zero_optimization": {"stage": STAGE}})";

EngineConfig config(int stage) {
  std::string text = kConfig;
  text.replace(text.find("STAGE"), 5, std::to_string(stage));
  return {text, "ds_config.json"};
}

std::vector<double> plain_losses() {
  auto net = std::make_shared<Net>();
  torch::optim::AdamW optimizer(net->parameters(),
                                torch::optim::AdamWOptions(0.01).betas({0.9, 0.99}).eps(1e-8).weight_decay(0.1));
  // Our unused parameter has a zero gradient, as DeepSpeed's; torch skips it. It changes no loss.
  std::vector<double> losses;
  for (int step = 0; step < kSteps; ++step) {
    const torch::Tensor batch = tokens(step, 0, 4);
    const torch::Tensor loss = net->forward(batch.narrow(1, 0, 8), batch.narrow(1, 1, 8));
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  return losses;
}

std::vector<double> engine_losses(int stage, int world_size) {
  std::vector<double> losses(kSteps, 0.0);
  run_thread_world(world_size, [&](Communicator& world) {
    Engine<Net> engine(std::make_shared<Net>(), config(stage), std::shared_ptr<Communicator>(&world, [](Communicator*) {}));
    const int64_t rows = 4 / world_size;
    for (int step = 0; step < kSteps; ++step) {
      const torch::Tensor batch = tokens(step, world.rank() * rows, rows);
      const torch::Tensor loss = engine.forward(batch.narrow(1, 0, 8), batch.narrow(1, 1, 8));
      engine.backward(loss);
      engine.step();
      double value = loss.item<double>();
      world.all_reduce({&value, 1, DType::kFloat64}).wait();
      if (world.rank() == 0) losses[step] = value / world_size;
    }
  });
  return losses;
}

TEST(ForeignModule, OneRankEqualsThePlainModuleUnderEveryStage) {
  at::set_num_threads(1);
  const auto want = plain_losses();
  for (int stage : {0, 1, 2, 3}) {
    const auto got = engine_losses(stage, 1);
    for (int i = 0; i < kSteps; ++i)
      // torch::optim::AdamW and the fused kernel round differently.
      EXPECT_NEAR(got[i], want[i], 2e-6 * want[i]) << "stage " << stage << " step " << i;
  }
}

TEST(ForeignModule, TwoRanksEqualThePlainModuleUnderEveryStageAndAgreeBitForBit) {
  at::set_num_threads(1);
  const auto want = plain_losses();
  const auto zero = engine_losses(0, 2);
  for (int stage : {0, 1, 2, 3}) {
    const auto got = engine_losses(stage, 2);
    EXPECT_EQ(got, zero) << "stage " << stage;
    for (int i = 0; i < kSteps; ++i) EXPECT_NEAR(got[i], want[i], 1e-5 * want[i]) << "stage " << stage << " step " << i;
  }
}

TEST(ForeignModule, ACheckpointOfOneStageContinuesUnderAnother) {
  at::set_num_threads(1);
  const auto folder = std::filesystem::temp_directory_path() / ("dsl-module-" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  auto world = singleton_communicator();
  const auto borrowed = std::shared_ptr<Communicator>(world.get(), [](Communicator*) {});
  const auto one_step = [&](Engine<Net>& engine, int step) {
    const torch::Tensor batch = tokens(step, 0, 4);
    const torch::Tensor loss = engine.forward(batch.narrow(1, 0, 8), batch.narrow(1, 1, 8));
    engine.backward(loss);
    engine.step();
    return loss.item<double>();
  };
  std::vector<double> unbroken;
  {
    Engine<Net> engine(std::make_shared<Net>(), config(3), borrowed);
    for (int step = 0; step < 2; ++step) one_step(engine, step);
    engine.save_checkpoint(folder.string());
    for (int step = 2; step < kSteps; ++step) unbroken.push_back(one_step(engine, step));
    EXPECT_THROW(engine.save_checkpoint(folder.string(), "best"), Error);
  }
  Engine<Net> engine(std::make_shared<Net>(), config(1), borrowed);
  engine.load_checkpoint(folder.string());
  EXPECT_EQ(engine.global_steps(), 2);
  std::vector<double> resumed;
  for (int step = 2; step < kSteps; ++step) resumed.push_back(one_step(engine, step));
  EXPECT_EQ(resumed, unbroken);
  std::filesystem::remove_all(folder);
}

struct PairImpl : torch::nn::Module {
  PairImpl() {
    a = register_module("a", torch::nn::Linear(3, 3));
    b = register_module("b", torch::nn::Linear(3, 3));
  }
  torch::nn::Linear a{nullptr}, b{nullptr};
};

struct Nested : torch::nn::Module {
  Nested() {
    inner = register_module("inner", std::make_shared<Inner>());
    last = register_module("last", torch::nn::Linear(3, 3));
  }
  struct Inner : torch::nn::Module {
    Inner() {
      first = register_module("first", Unit<PairImpl>());
      second = register_module("second", Unit<PairImpl>());
    }
    Unit<PairImpl> first{nullptr}, second{nullptr};
  };
  std::shared_ptr<Inner> inner;
  torch::nn::Linear last{nullptr};
};

TEST(ForeignModule, UnitsAreMarkedModulesListElementsAndChildren) {
  Nested nested;
  const ModuleParameters marked = list_parameters(nested);
  std::vector<std::string> names;
  for (const UnitDefinition& unit : marked.units) names.push_back(unit.name);
  EXPECT_EQ(names, (std::vector<std::string>{"inner.first", "inner.second", "last"}));
  Net net;
  names.clear();
  for (const UnitDefinition& unit : list_parameters(net).units) names.push_back(unit.name);
  EXPECT_EQ(names, (std::vector<std::string>{"unused", "embed", "convs.0", "convs.1", "lstm", "mix"}));
}

struct Detour : torch::nn::Module {
  Detour() {
    first = register_module("first", torch::nn::Linear(4, 4));
    second = register_module("second", torch::nn::Linear(4, 4));
    third = register_module("third", torch::nn::Linear(4, 4));
  }
  torch::Tensor forward(const torch::Tensor& x, bool swapped) {
    return (swapped ? third(second(first(x))) : third(first(second(x)))).sum();
  }
  torch::nn::Linear first{nullptr}, second{nullptr}, third{nullptr};
};

TEST(ForeignModule, ARankThatDepartsFromTheRecordedOrderGetsAnErrorThatNamesTheUnits) {
  at::set_num_threads(1);
  auto world = singleton_communicator();
  Engine<Detour> engine(std::make_shared<Detour>(), config(3),
                        std::shared_ptr<Communicator>(world.get(), [](Communicator*) {}));
  const torch::Tensor x = torch::ones({2, 4});
  for (int step = 0; step < 3; ++step) {
    engine.backward(engine.forward(x, false));
    engine.step();
  }
  try {
    engine.forward(x, true);
    FAIL() << "must be refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("departs"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("first"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ds
