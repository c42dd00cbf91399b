// A DeepSpeed JSON (with what [train] fills in) -> the engine's part of Settings.
#pragma once

#include <string>

#include "engine/config/batch_sizes.h"
#include "engine/config/choice.h"
#include "engine/config/json_node.h"
#include "engine/config/settings.h"

namespace ds {

// Reads and tidies: section `bfloat16` becomes `bf16`, `"zero_optimization": true` stage 1. Throws as read_json does.
JsonNode read_ds_config(const std::string& text, const std::string& file);

// The steps below add their problems to the choice's findings. In this order:
void check_ds_keys(Choice& choice, const JsonNode& json);  // every key against the table
BatchSizes resolve_batch_sizes(Choice& choice, int data_parallel);
void resolve_numerics(Choice& choice, Settings& settings);  // precision, ZeRO, clipping, reduction
void resolve_optimization(Choice& choice, Settings& settings);  // optimizer, schedule; uses settings.steps
// What is left "auto": values from the model's hidden size (0: unknown), else DeepSpeed's defaults, with a note each.
void settle_autos(Choice& choice, int64_t hidden_size);

// All of it for a program that has a DeepSpeed JSON and no train.cfg. Throws one kUsage Error with all problems.
Settings resolve_ds_config(const std::string& text, const std::string& file, int world_size);

}  // namespace ds
