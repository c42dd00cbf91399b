// An example of the C++ library: a small network of one's own, trained under any ZeRO stage on any number of ranks.
//
//   build/bin/train_module ds_config.json
//   build/bin/dslaunch -np 2 build/bin/train_module ds_config.json
#include <cstdio>

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "engine/engine.h"  // after installation: <dslaunch/engine.h>
#include "topology/base/error.h"

// A regression: y = sum of squares of x.
struct Net : torch::nn::Module {
  Net() {
    layers = register_module(
        "layers", torch::nn::Sequential(torch::nn::Linear(8, 64), torch::nn::Tanh(), torch::nn::Linear(64, 1)));
  }
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& y) {
    return (layers->forward(x) - y).pow(2).mean();
  }
  torch::nn::Sequential layers{nullptr};
};

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: train_module ds_config.json\n");
    return 2;
  }
  try {
    ds::World world = ds::world_from_environment();
    auto engine = ds::initialize(std::make_shared<Net>(), ds::load_config(argv[1]), world);
    torch::manual_seed(world.ranks->rank());  // each rank has its own data
    for (int step = 1; step <= 200; ++step) {
      const torch::Tensor x = torch::rand({engine.settings().batch.micro, 8});
      const torch::Tensor loss = engine.forward(x, x.pow(2).sum(1, true));
      engine.backward(loss);
      engine.step();
      if (step % 50 == 0 && world.ranks->rank() == 0)
        std::printf("step %d loss %.4f grad_norm %.3f\n", step, loss.item<double>(), engine.gradient_norm());
    }
    return 0;
  } catch (const ds::Error& error) {
    std::fprintf(stderr, "train_module: %s\n", error.what());
    return ds::exit_status(error.code());
  }
}
