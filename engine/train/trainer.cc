#include "engine/train/trainer.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/from_blob.h>

#include "engine/models/from_config.h"
#include "engine/train/stage_options.h"
#include "topology/base/error.h"

namespace ds {
namespace {

at::Tensor matrix(const std::vector<int64_t>& values, int64_t rows, int64_t length, c10::Device device) {
  return at::from_blob(const_cast<int64_t*>(values.data()), {rows, length}, at::kLong).clone().to(device);
}

StageOptions options_on(const ComputeDevice& device, StageOptions options) {
  options.cuda_device = device.cuda_device;
  return options;
}

std::shared_ptr<const DeviceKernels> kernels_on(const ComputeDevice& device) {
  return device.cuda.module ? std::make_shared<DeviceKernels>(device.cuda.module) : nullptr;
}

}  // namespace

// Row losses and counted labels of the global batch, by sample: index i is sample i of the step.
struct Trainer::Losses {
  std::vector<double> sums, counts;
};

Trainer::Trainer(const Settings& settings, const ModelConfig& model, Communicator& group,
                 const ComputeDevice& device)
    : settings_(settings), group_(group), model_(make_model(model)) {
  exclude_from_decay(model_, settings_.no_decay);
  auto rule = make_update_rule(settings_.optimizer);
  store_ = std::make_unique<ParameterStore>(model_.parameters, model_.units,
                                            options_on(device, stage_options(settings_, rule->states())), group_,
                                            kernels_on(device));
  gradients_ = std::make_unique<GradientReducer>(*store_);
  optimizer_ = std::make_unique<ShardedOptimizer>(*store_, std::move(rule));
  runner_ = std::make_unique<LayerRunner>(model_, *store_, *gradients_);
  schedule_ = make_lr_schedule(settings_.schedule, settings_.optimizer, settings_.steps);
}

StepContext Trainer::context_of(const Batch& batch, int64_t step) const {
  StepContext context;
  context.tokens = matrix(batch.tokens, batch.rows, batch.length, store_->device());
  context.labels = matrix(batch.labels, batch.rows, batch.length, store_->device());
  context.samples = batch.samples;
  context.step = step;
  context.seed = settings_.seed;
  return context;
}

void Trainer::run_micro_steps(const BatchLoader& data, int64_t step, Losses& losses) {
  const BatchSizes& sizes = settings_.batch;
  const int64_t round = sizes.micro * group_.size();
  const int64_t rounds = (sizes.train + round - 1) / round;
  losses.sums.assign(sizes.train, 0.0);
  losses.counts.assign(sizes.train, 0.0);
  for (int64_t m = 0; m < rounds; ++m) {
    const Batch batch = data.micro_batch(step, sizes.train, sizes.micro, m, group_.size(), group_.rank());
    StepContext context = context_of(batch, step);
    const bool mean = settings_.loss_average == "microbatches";
    runner_->train(context, mean && batch.counted > 0 ? 1.0 / static_cast<double>(batch.counted) : 1.0);
    if (batch.dummy) continue;
    const at::Tensor row_losses = context.row_losses.to(at::kCPU);
    const double* rows = row_losses.const_data_ptr<double>();
    for (int64_t b = 0; b < batch.rows; ++b) {
      const int64_t sample = batch.samples[b] - step * sizes.train;
      losses.sums[sample] = rows[b];
      losses.counts[sample] = static_cast<double>(
          std::count_if(batch.labels.begin() + b * batch.length, batch.labels.begin() + (b + 1) * batch.length,
                        [](int64_t label) { return label != -100; }));
    }
  }
  // Each sample is on one rank and zero elsewhere, so the sums are exact in any order.
  group_.all_reduce({losses.sums.data(), sizes.train, DType::kFloat64}).wait();
  group_.all_reduce({losses.counts.data(), sizes.train, DType::kFloat64}).wait();
}

double Trainer::average(const Losses& losses) const {
  const int64_t group = settings_.loss_average == "microbatches" ? settings_.batch.micro : settings_.batch.train;
  double sum_of_means = 0;
  int64_t means = 0;
  for (size_t first = 0; first < losses.sums.size(); first += group) {
    double sum = 0, count = 0;
    for (size_t i = first; i < std::min(losses.sums.size(), first + group); ++i) {
      sum += losses.sums[i];
      count += losses.counts[i];
    }
    sum_of_means += count > 0 ? sum / count : 0.0;
    ++means;
  }
  return sum_of_means / static_cast<double>(means);
}

StepResult Trainer::train_step(const BatchLoader& data, int64_t step) {
  StepResult result;
  Losses losses;
  gradients_->reset();
  run_micro_steps(data, step, losses);
  for (const double count : losses.counts) result.counted += static_cast<int64_t>(count);
  result.loss = average(losses);
  gradients_->finish_step();
  result.learning_rate = schedule_->learning_rate(updates_);
  if (!std::isfinite(result.loss))
    throw Error(ErrorCode::kNotFinite, "engine: loss is not finite: step=" + std::to_string(step + 1) + " loss=" +
                                           std::to_string(result.loss) + ": lower the learning rate or check the data");
  if (result.counted == 0) {
    result.skipped = true;
    return result;
  }
  double scale = 1.0 / static_cast<double>(result.counted);
  if (settings_.loss_average == "microbatches")
    scale = static_cast<double>(settings_.batch.micro) / static_cast<double>(settings_.batch.train);
  if (settings_.gradient_allreduce_op == "sum") scale *= group_.size();
  update(result, scale, step);
  return result;
}

void Trainer::update(StepResult& result, double scale, int64_t step) {
  result.grad_norm = std::sqrt(gradients_->sum_of_squares()) * scale;
  if (!std::isfinite(result.grad_norm))
    throw Error(ErrorCode::kNotFinite, "engine: gradients are not finite: step=" + std::to_string(step + 1) +
                                           ": lower the learning rate or check the data; nothing was updated");
  const double limit = settings_.gradient_clipping;
  const double clip = limit > 0 ? std::min(1.0, limit / (result.grad_norm + 1e-6)) : 1.0;
  UpdateArguments arguments;
  arguments.step = updates_ + 1;
  arguments.learning_rate = result.learning_rate;
  arguments.weight_decay = settings_.optimizer.weight_decay;
  arguments.beta1 = schedule_->beta1(updates_).value_or(settings_.optimizer.beta1);
  arguments.beta2 = schedule_->beta2(updates_).value_or(settings_.optimizer.beta2);
  optimizer_->step(*gradients_, static_cast<float>(scale * clip), arguments);
  ++updates_;
}

double Trainer::evaluate(const BatchLoader& data, int64_t max_batches) {
  const int64_t rows = settings_.batch.micro;
  const int64_t round = rows * group_.size();
  int64_t rounds = (data.num_windows() + round - 1) / round;
  if (max_batches > 0) rounds = std::min(rounds, max_batches);
  std::vector<double> totals(2, 0.0);
  for (int64_t i = 0; i < rounds; ++i) {
    const Batch batch = data.evaluation_batch(i * round + group_.rank() * rows, rows);
    StepContext context = context_of(batch, 0);
    runner_->evaluate(context);
    if (batch.dummy) continue;
    const at::Tensor row_losses = context.row_losses.to(at::kCPU);
    const double* losses = row_losses.const_data_ptr<double>();
    for (int64_t b = 0; b < batch.rows; ++b) totals[0] += losses[b];
    totals[1] += static_cast<double>(batch.counted);
  }
  group_.all_reduce({totals.data(), 2, DType::kFloat64}).wait();
  return totals[1] > 0 ? totals[0] / totals[1] : 0.0;
}

}  // namespace ds
