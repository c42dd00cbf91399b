#include "engine/config/train_keys.h"

#include "engine/config/train_config.h"

namespace ds {

const std::vector<TrainKey>& train_keys() {
  // clang-format off
  static const std::vector<TrainKey> keys = {
      {"job.name", "text", "", "", "", "name of the job; left out: the name of the file without its ending"},
      {"job.output", "path", "", "", "", "folder of everything the run writes; left out: runs/NAME"},
      {"job.hang_seconds", "integer", "auto", "auto|0|5..1000000", "", "end the job when nothing has moved on any rank for so long; 0: never"},
      {"job.seed", "integer", "1234", ">= 0", "", "seed of initial weights, shuffling and dropout"},

      {"model.config", "path", "", "", "", "Hugging Face config.json, or a folder with it (and *.safetensors)"},
      {"model.init", "word", "auto", "auto|random|weights", "", "auto: weights if the folder has them"},
      {"model.dropout", "number", "config", "config|[0, 1)", "", "config: as config.json says"},

      {"data.train", "paths", "", "", "", ".bin/.idx, .txt, .jsonl, a folder or a glob of those; several with commas"},
      {"data.valid", "paths", "", "", "", "held-out data, the same kinds"},
      {"data.format", "word", "auto", "auto|text", "packed|chat", "auto: by the file's ending"},
      {"data.tokenizer", "path", "bytes", "bytes", "*", "bytes as tokens; ignored for .bin"},
      {"data.sequence_length", "integer", "", ">= 1", "", "tokens per sample; left out: the model's positions"},
      {"data.shuffle", "flag", "true", "", "", "visit windows in a keyed random order, new in each epoch"},

      {"train.deepspeed_config", "path", "", "", "", "DeepSpeed JSON file"},
      {"train.steps", "integer", "", ">= 1", "", "optimizer steps in total"},
      {"train.epochs", "number", "", "> 0", "", "instead of steps: passes over the data"},
      {"train.log_every", "integer", "10", ">= 1", "", "steps between progress lines"},
      {"train.eval_every", "integer", "100", ">= 0", "", "steps between evaluations on data.valid; 0: none"},
      {"train.eval_batches", "integer", "0", ">= 0", "", "batches of one evaluation; 0: all"},
      {"train.threads_per_rank", "integer", "auto", "auto|1..1024", "", "auto: cores of the host / ranks on it"},
      {"train.device", "word", "auto", "auto|cpu|cuda", "", "auto: the GPU of each rank, if all ranks have one"},
      {"train.precision", "word", "fp32", "fp32|bf16", "fp16", "type of the weights in forward and backward"},
      {"train.learning_rate", "number", "", ">= 0", "", "fills optimizer.params.lr"},
      {"train.weight_decay", "number", "", ">= 0", "", "fills optimizer.params.weight_decay"},
      {"train.adam_beta1", "number", "", "[0, 1)", "", "fills optimizer.params.betas"},
      {"train.adam_beta2", "number", "", "[0, 1)", "", "fills optimizer.params.betas"},
      {"train.adam_epsilon", "number", "", ">= 0", "", "fills optimizer.params.eps"},
      {"train.lr_scheduler", "word", "constant", "constant|constant_with_warmup|linear|cosine", "",
       "as transformers defines them"},
      {"train.warmup_steps", "integer", "", ">= 0", "", "updates until the full learning rate"},
      {"train.warmup_ratio", "number", "", "[0, 1]", "", "the same as a share of all steps, rounded up"},
      {"train.max_grad_norm", "number", "", ">= 0", "", "fills gradient_clipping; 0: off"},
      {"train.micro_batch", "integer", "", "1..16777216", "", "fills train_micro_batch_size_per_gpu"},
      {"train.gradient_accumulation", "integer", "", "1..16777216", "", "fills gradient_accumulation_steps"},
      {"train.no_decay", "list", "", "", "", "patterns of parameter names without weight decay"},
      {"train.loss_average", "word", "tokens", "tokens|microbatches", "", "what the loss is a mean over"},
      {"train.reduction", "word", "fixed", "fixed|fastest", "", "fixed: sums in an order that never changes"},
      {"train.recompute", "word", "none", "none", "full|selective", "activations computed again in backward"},

      {"parallel.data", "integer", "auto", "auto|>= 1", "", "auto: what is left of the ranks"},
      {"parallel.tensor", "integer", "1", ">= 1", "*", "ranks a layer's matrices are split over"},
      {"parallel.pipeline", "integer", "1", ">= 1", "*", "stages the layers are split over"},
      {"parallel.sequence", "integer", "1", ">= 1", "*", "ranks a sequence is split over (all-to-all)"},
      {"parallel.context", "integer", "1", ">= 1", "*", "ranks a sequence is split over (ring)"},
      {"parallel.expert", "integer", "1", ">= 1", "*", "ranks experts are split over"},
      {"parallel.schedule", "word", "1f1b", "1f1b", "*", "pipeline schedule"},
      {"parallel.virtual_stages", "integer", "1", ">= 1", "*", "stages per pipeline rank"},
      {"parallel.megatron_sequence", "flag", "false", "", "*", "split norms and dropout over tensor ranks"},
      {"parallel.order", "text", "tp,sp,cp,ep,dp,pp", "", "", "axes, the fastest varying first"},

      {"checkpoint.every", "integer", "100", ">= 0", "", "steps between checkpoints, and after the last; 0: none"},
      {"checkpoint.keep", "integer", "3", ">= 0", "", "newest checkpoints that are kept; 0: all"},
      {"checkpoint.resume", "path", "auto", "auto|never", "", "auto | never | a checkpoint or its folder"},
      {"checkpoint.parts", "word", "all", "all|weights", "", "weights: start fresh from the weights alone"},
      {"checkpoint.export", "word", "none", "none|hf", "", "hf: a transformers folder after the last step"},

      {"launch.hostfile", "path", "", "", "", "hosts and slots"},
      {"launch.machinefile", "path", "", "", "", "the same as hostfile"},
      {"launch.host", "text", "", "", "", "hosts, as -H"},
      {"launch.np", "integer", "", ">= 1", "", "number of ranks"},
      {"launch.n", "integer", "", ">= 1", "", "the same as np"},
      {"launch.npernode", "integer", "", ">= 1", "", "ranks per host"},
      {"launch.include", "text", "", "", "", "hosts and slots to use"},
      {"launch.exclude", "text", "", "", "", "hosts and slots not to use"},
      {"launch.num_nodes", "integer", "", ">= 1", "", "use the first hosts only"},
      {"launch.num_gpus", "integer", "", ">= 1", "", "slots per host"},
      {"launch.master_addr", "text", "", "", "", "MASTER_ADDR of the ranks"},
      {"launch.master_port", "integer", "", "1..65535", "", "MASTER_PORT of the ranks"},
      {"launch.rankfile", "path", "", "", "", "host and cores of each rank"},
      {"launch.x", "list", "", "", "", "environment variables for the ranks: NAME or NAME=value"},
      {"launch.wdir", "path", "", "", "", "working folder of the ranks"},
      {"launch.map-by", "text", "", "", "", "slot | node | socket | numa | core | hwthread | ppr:n:<one of these>"},
      {"launch.rank-by", "text", "", "", "", "numbering of the ranks"},
      {"launch.bind-to", "word", "", "none|core|socket|numa|hwthread", "", "cores of a rank"},
      {"launch.report-bindings", "flag", "", "", "", "print the cores of each rank"},
      {"launch.cpus-per-rank", "integer", "", ">= 1", "", "cores each rank is bound to"},
      {"launch.use-hwthread-cpus", "flag", "", "", "", "hardware threads count as CPUs"},
      {"launch.cpu-list", "text", "", "", "", "cores that may be used"},
      {"launch.oversubscribe", "flag", "", "", "", "allow more ranks than slots"},
      {"launch.nolocal", "flag", "", "", "", "no ranks on this machine"},
      {"launch.tag-output", "flag", "", "", "", "print the ranks' output with their numbers"},
      {"launch.timestamp-output", "flag", "", "", "", "print the ranks' output with the time"},
      {"launch.output-filename", "path", "", "", "", "folder for the output of each rank"},
      {"launch.merge-stderr-to-stdout", "flag", "", "", "", "one stream for both"},
      {"launch.stdin", "text", "", "", "", "rank | all | none"},
      {"launch.timeout", "number", "", "> 0", "", "seconds until the job is ended"},
      {"launch.allow-run-as-root", "flag", "", "", "", "accepted without effect"},
      {"launch.display-map", "flag", "", "", "", "print where each rank goes"},
      {"launch.display-allocation", "flag", "", "", "", "print the hosts"},
      {"launch.prefix", "path", "", "", "", "where dslaunch is installed on the other hosts"},
      {"launch.bind_cores_to_rank", "flag", "", "", "", "as DeepSpeed's launcher"},
      {"launch.bind_core_list", "text", "", "", "", "as DeepSpeed's launcher"},
      {"launch.enable_each_rank_log", "path", "", "", "", "folder for a log of each rank"},
      {"launch.wireup", "word", "pmix", "pmix|mpirun|none", "", "how ranks find each other"},
      {"launch.grace", "number", "30", ">= 0", "", "seconds a rank may take to stop when asked"},
      {"launch.ssh", "text", "", "", "", "the ssh command"},
      {"launch.interface", "text", "", "", "", "network interface of the control plane"},
      {"launch.network", "text", "", "", "", "the same as interface"},
      {"launch.ports", "text", "", "", "", "ports that may be used: a-b"},
      {"launch.topology", "path", "", "", "", "description of the hosts instead of asking them"},
      {"launch.progress", "word", "auto", "auto|bar|plain|none", "", "how progress is shown"},

      {"elastic.enabled", "flag", "false", "", "", "after a failure go on with the hosts that are left, and with those that return"},
      {"elastic.min_ranks", "integer", "1", "1..1048576", "", "fewest ranks to run with"},
      {"elastic.max_ranks", "integer", "0", "0..1048576", "", "most ranks; 0: no limit"},
      {"elastic.max_restarts", "integer", "10", "0..1048576", "", "failures an hour after which the ranks start again"},
      {"elastic.join_wait", "integer", "60", "0..1000000", "", "seconds to wait for hosts when those that are there are too few"},
      {"elastic.grow_after", "integer", "60", "0..1000000", "", "seconds until a host that returned is taken in"},
      {"elastic.snapshot_every", "integer", "1", ">= 0", "*", "steps between snapshots in memory: not there yet, a restart reads the newest checkpoint"},
      {"elastic.replicas", "integer", "1", ">= 0", "*", "copies of a snapshot on other hosts: not there yet"},

      {"metrics.csv", "flag", "true", "", "", "write metrics.csv"},
      {"metrics.tensorboard", "flag", "false", "", "*", "write TensorBoard event files"},
      {"metrics.prometheus", "integer", "0", "0..65535", "*", "port of a metrics endpoint; 0: off"},
  };
  // clang-format on
  return keys;
}

const TrainKey* find_train_key(std::string_view key) {
  for (const auto& row : train_keys())
    if (key == row.key) return &row;
  return nullptr;
}

const std::vector<ConfigKey>& train_config_keys() {
  static const std::vector<ConfigKey> keys = [] {
    std::vector<ConfigKey> all;
    for (const auto& row : train_keys()) all.push_back({row.key, row.type, row.fallback, row.allowed, row.meaning});
    return all;
  }();
  return keys;
}

}  // namespace ds
