# The job that the quick start runs: model, DeepSpeed configuration and train.cfg.

# Two minutes on two cores. A network this narrow learns several times faster from weights near 1 / sqrt(width) than
# from the usual 0.02.
steps=400

# Two ranks at least, so that every part takes part; more only where each still has four cores.
choose_ranks() { if [ "$(nproc)" -ge 16 ]; then echo 4; else echo 2; fi; }

# write_job FOLDER RANKS
write_job() {
  mkdir -p "$1/model"
  cat >"$1/model/config.json" <<'END'
{
  "architectures": ["LlamaForCausalLM"],
  "model_type": "llama",
  "vocab_size": 256,
  "hidden_size": 128,
  "intermediate_size": 344,
  "num_hidden_layers": 4,
  "num_attention_heads": 4,
  "num_key_value_heads": 4,
  "max_position_embeddings": 256,
  "rms_norm_eps": 1e-5,
  "rope_theta": 10000.0,
  "hidden_act": "silu",
  "tie_word_embeddings": true,
  "initializer_range": 0.06
}
END
  cat >"$1/ds_config.json" <<END
{
  "train_batch_size": 8,
  "train_micro_batch_size_per_gpu": $((8 / $2)),
  "optimizer": {"type": "AdamW", "params": {"lr": 4e-3, "betas": [0.9, 0.99], "weight_decay": 0.1}},
  "scheduler": {"type": "WarmupCosineLR",
                "params": {"total_num_steps": $steps, "warmup_num_steps": 40, "cos_min_ratio": 0.05}},
  "zero_optimization": {"stage": 1},
  "gradient_clipping": 1.0
}
END
  cat >"$1/train.cfg" <<END
[job]
name = quickstart
output = .

[model]
config = model

[data]
train = data/train.txt
valid = data/held-out.txt
tokenizer = bytes
sequence_length = 256
shuffle = true

[train]
deepspeed_config = ds_config.json
steps = $steps
log_every = 20
eval_every = 200

[checkpoint]
every = $steps
END
}
