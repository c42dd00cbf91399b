# The job that the quick start runs: model, DeepSpeed configuration and train.cfg.

steps=400

# Two ranks at least, so that every part takes part; more only where each still has four cores.
choose_ranks() { if [ "$(nproc)" -ge 16 ]; then echo 4; else echo 2; fi; }

# write_job FOLDER RANKS
write_job() {
  mkdir -p "$1/model"
  cat >"$1/model/config.json" <<'END'
{
  "architectures": ["GPT2LMHeadModel"],
  "model_type": "gpt2",
  "vocab_size": 256,
  "n_positions": 256,
  "n_embd": 192,
  "n_layer": 4,
  "n_head": 6,
  "embd_pdrop": 0.0,
  "attn_pdrop": 0.0,
  "resid_pdrop": 0.0
}
END
  cat >"$1/ds_config.json" <<END
{
  "train_batch_size": 16,
  "train_micro_batch_size_per_gpu": $((16 / $2)),
  "optimizer": {"type": "AdamW", "params": {"lr": 2e-3, "betas": [0.9, 0.99], "weight_decay": 0.1}},
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
