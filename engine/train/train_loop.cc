#include "engine/train/train_loop.h"

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <iostream>

#include <nlohmann/json.hpp>

#include "collectives/nccl_world.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/data/batch_loader.h"
#include "engine/metrics/csv_file.h"
#include "engine/models/from_config.h"
#include "engine/models/hf_export.h"
#include "engine/train/resume_decision.h"
#include "engine/train/stop_request.h"
#include "engine/train/trainer.h"
#include "engine/train/training_state.h"
#include "topology/base/error.h"

namespace ds {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kMetricsHeader =
    "step,samples,tokens,loss,grad_norm,lr,loss_scale,skipped,step_seconds,tokens_per_second,world_size,generation";

std::unique_ptr<BatchLoader> open_data(const std::vector<std::string>& files, const Settings& s, int64_t vocab_size,
                                       bool shuffle) {
  auto source = open_tokens(files, s.data.tokenizer);
  const SampleIndex index(source->size(), s.data.sequence_length, shuffle, s.seed, source->describe());
  return std::make_unique<BatchLoader>(std::move(source), index, vocab_size);
}

// One decision for all ranks: rank 0 looks at the folder before anybody writes to it.
std::string agree_on_checkpoint(const Settings& settings, Communicator& world) {
  std::string path, problem;
  int64_t lengths[2] = {0, -1};
  if (world.rank() == 0) {
    try {
      path = checkpoint_to_resume(settings);
    } catch (const Error& error) {
      problem = error.what();
      lengths[1] = static_cast<int64_t>(problem.size());
    }
    lengths[0] = static_cast<int64_t>(path.size());
  }
  world.broadcast({lengths, 2, DType::kInt64}, 0).wait();
  if (lengths[1] >= 0) {
    problem.resize(lengths[1]);
    world.broadcast({problem.data(), lengths[1], DType::kUInt8}, 0).wait();
    throw Error(ErrorCode::kUsage, problem);
  }
  path.resize(lengths[0]);
  if (lengths[0] > 0) world.broadcast({path.data(), lengths[0], DType::kUInt8}, 0).wait();
  return path;
}

// Device tensors travel over NCCL; one rank alone sends none.
std::unique_ptr<Communicator> device_group(Communicator& world, const ComputeDevice& device) {
  if (!device.on_cuda() || world.size() == 1) return nullptr;
  return nccl_communicator(world, device.cuda, device.cuda_device);
}

class TrainingRun {
 public:
  TrainingRun(const Settings& settings, const RunContext& context)
      : settings_(settings),
        context_(context),
        world_(*context.world),
        model_config_(load_model_config(settings.model_folder)),
        device_group_(device_group(world_, context.device)),
        trainer_(std::make_unique<Trainer>(settings_, model_config_, device_group_ ? *device_group_ : world_,
                                           context.device)),
        data_(open_data(settings.data.train, settings, model_config_.vocab_size, settings.data.shuffle)) {
    if (!settings.data.valid.empty())
      valid_ = open_data(settings.data.valid, settings, model_config_.vocab_size, false);
    trainer_->runner().count_actions_in(context_.report->beat_counter());
    fingerprint_ = data_->index().fingerprint(data_->source().fingerprint());
  }

  int execute() {
    const std::string checkpoint = agree_on_checkpoint(settings_, world_);
    load(checkpoint);
    if (position_.step >= settings_.steps) {
      say("note: " + std::to_string(settings_.steps) + " steps are already done; nothing to do");
      return 0;
    }
    open_files();
    context_.report->phase(RankPhase::kTraining);
    StopRequest stop = StopRequest::kNone;
    while (position_.step < settings_.steps && stop == StopRequest::kNone) {
      one_step();
      stop = agreed_stop();
      const bool last = position_.step == settings_.steps;
      if (valid_ && (last || due(settings_.eval_every))) evaluate();
      if (stop == StopRequest::kSaveAndStop || due(settings_.checkpoint.every) ||
          (last && settings_.checkpoint.every > 0))
        save();
    }
    context_.report->phase(RankPhase::kEnding);
    if (stop == StopRequest::kSaveAndStop) return 75;
    if (stop == StopRequest::kStop && position_.step < settings_.steps) return 128 + SIGTERM;
    if (settings_.checkpoint.export_format == "hf")
      export_model(trainer_->store(), model_config_, settings_.output + "/hf");
    return 0;
  }

 private:
  bool due(int64_t every) const { return every > 0 && position_.step % every == 0; }
  bool rank0() const { return world_.rank() == 0; }
  void say(const std::string& line) const {
    if (rank0()) std::cout << line << std::endl;
  }

  void load(const std::string& checkpoint) {
    context_.report->phase(RankPhase::kLoading);
    if (checkpoint.empty()) {
      const bool from_files =
          settings_.init == "weights" || (settings_.init == "auto" && has_safetensors(settings_.model_folder));
      if (from_files)
        load_weights(trainer_->store(), settings_.model_folder);
      else
        initialise_weights(trainer_->store(), settings_.seed);
      return;
    }
    const CheckpointReader reader(checkpoint);
    std::vector<std::string> notes;
    position_ = restore(*trainer_, reader, fingerprint_, settings_.checkpoint.parts, notes);
    say("note: resumed from " + checkpoint + " at step " + std::to_string(position_.step));
    for (const std::string& note : notes) say("note: " + note);
    context_.report->committed(position_.step);
  }

  void open_files() {
    if (!rank0()) return;
    fs::create_directories(settings_.output);
    if (settings_.metrics_csv)
      metrics_ = std::make_unique<CsvFile>(settings_.output + "/metrics.csv", kMetricsHeader, position_.step);
    if (valid_)
      eval_ = std::make_unique<CsvFile>(settings_.output + "/eval.csv", "step,loss,perplexity", position_.step);
  }

  void one_step() {
    const auto start = Clock::now();
    const StepResult result = trainer_->train_step(*data_, position_.step);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const int64_t tokens = settings_.batch.train * settings_.data.sequence_length;
    ++position_.step;
    position_.samples += settings_.batch.train;
    position_.tokens += tokens;
    const double speed = static_cast<double>(tokens) / seconds;
    context_.report->progress(position_.step, settings_.steps, result.loss, speed);
    if (metrics_)
      metrics_->append(std::to_string(position_.step) + "," + std::to_string(position_.samples) + "," +
                       std::to_string(position_.tokens) + "," + csv_number(result.loss) + "," +
                       csv_number(result.grad_norm) + "," + csv_number(result.learning_rate) + ",1," +
                       (result.skipped ? "1" : "0") + "," + csv_number(seconds) + "," + csv_number(speed) + "," +
                       std::to_string(world_.size()) + "," + std::to_string(context_.generation));
    if (due(settings_.log_every) || position_.step == settings_.steps)
      say("step " + std::to_string(position_.step) + "/" + std::to_string(settings_.steps) + " loss " +
          csv_number(result.loss) + " grad_norm " + csv_number(result.grad_norm) + " lr " +
          csv_number(result.learning_rate) + " tokens/s " + std::to_string(static_cast<int64_t>(speed)));
  }

  // All ranks end after the same step, whichever of them saw the signal first.
  StopRequest agreed_stop() {
    int64_t wanted = static_cast<int64_t>(stop_requested());
    world_.all_reduce({&wanted, 1, DType::kInt64}, ReduceOp::kMax).wait();
    return static_cast<StopRequest>(wanted);
  }

  void evaluate() {
    context_.report->phase(RankPhase::kEvaluating);
    const double loss = trainer_->evaluate(*valid_, settings_.eval_batches);
    context_.report->evaluated(loss);
    if (eval_)
      eval_->append(std::to_string(position_.step) + "," + csv_number(loss) + "," + csv_number(std::exp(loss)));
    say("eval step " + std::to_string(position_.step) + " loss " + csv_number(loss) + " perplexity " +
        csv_number(std::exp(loss)));
    context_.report->phase(RankPhase::kTraining);
  }

  void save() {
    context_.report->phase(RankPhase::kSaving);
    const nlohmann::json state = describe_state(*trainer_, position_, fingerprint_);
    SaveRequest request;
    request.folder = settings_.output + "/checkpoints";
    request.step = position_.step;
    const StatePieces state_pieces = pieces_to_save(trainer_->store());
    request.pieces = state_pieces.pieces;
    request.state = &state;
    request.model_config_text = model_config_.json_text;
    request.keep = settings_.checkpoint.keep;
    save_checkpoint(world_, request);
    context_.report->committed(position_.step);
    context_.report->phase(RankPhase::kTraining);
  }

  Settings settings_;
  RunContext context_;
  Communicator& world_;
  ModelConfig model_config_;
  std::unique_ptr<Communicator> device_group_;  // on CUDA with several ranks: the world over NCCL
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<BatchLoader> data_, valid_;
  std::unique_ptr<CsvFile> metrics_, eval_;
  std::string fingerprint_;
  Position position_;
};

// epochs -> steps, from the length of the token stream.
Settings with_steps(const Settings& settings) {
  Settings result = settings;
  if (result.steps > 0 || !result.epochs) return result;
  const int64_t tokens = open_tokens(settings.data.train, settings.data.tokenizer)->size();
  const double windows = static_cast<double>((tokens - 1) / settings.data.sequence_length);
  result.steps = static_cast<int64_t>(std::ceil(windows * *result.epochs / static_cast<double>(result.batch.train)));
  return result;
}

}  // namespace

int run_training(const Settings& settings, const RunContext& context) {
  return TrainingRun(with_steps(settings), context).execute();
}

}  // namespace ds
