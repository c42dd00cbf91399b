// A program outside the project: one step of a linear module through the installed library.
#include <cmath>
#include <cstdio>
#include <memory>

#include <dslaunch/engine.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

struct Net : torch::nn::Module {
  Net() { layer = register_module("layer", torch::nn::Linear(4, 1)); }
  torch::Tensor forward(const torch::Tensor& x) { return layer->forward(x).pow(2).mean(); }
  torch::nn::Linear layer{nullptr};
};

int main() {
  ds::World world = ds::world_from_environment();
  const ds::EngineConfig config{R"({"train_batch_size": 2, "optimizer": {"type": "AdamW", "params": {"lr": 0.01}}})", "inline"};
  auto engine = ds::initialize(std::make_shared<Net>(), config, world);
  const torch::Tensor x = torch::ones({2, 4});
  const double before = engine.forward(x).item<double>();
  for (int i = 0; i < 10; ++i) {
    engine.backward(engine.forward(x));
    engine.step();
  }
  const double after = engine.forward(x).item<double>();
  std::printf("%f -> %f\n", before, after);
  return std::isfinite(after) && after < before ? 0 : 1;
}
