// Where a model's first weights come from: safetensors files or counted random numbers.
#include <algorithm>
#include <set>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>

#include "engine/checkpoint/safetensors.h"
#include "engine/models/from_config.h"
#include "engine/random/philox.h"
#include "engine/zero/parameter_store.h"
#include "engine/zero/torch_dtype.h"
#include "topology/base/error.h"

namespace ds {
namespace {

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

// The file's tensor of each parameter; throws with all that does not fit.
std::vector<const SafeTensor*> match(const SafetensorsReader& reader, const std::vector<Parameter>& parameters,
                                     const std::string& folder) {
  std::vector<const SafeTensor*> found;
  std::vector<std::string> problems;
  std::set<std::string> known;
  for (const Parameter& parameter : parameters) {
    const SafeTensor* tensor = reader.find(parameter.name);
    known.insert(parameter.name);
    for (const std::string& alias : parameter.aliases) {
      known.insert(alias);
      if (!tensor) tensor = reader.find(alias);
    }
    found.push_back(tensor);
    if (!tensor)
      problems.push_back("model: weights in " + folder + " lack tensor " + parameter.name);
    else if (tensor->shape != parameter.shape)
      problems.push_back("model: " + tensor->file + ": tensor " + tensor->name + " has shape " +
                         shape_text(tensor->shape) + ", config.json wants " + shape_text(parameter.shape));
    else if (tensor->dtype != DType::kFloat32 && tensor->dtype != DType::kBFloat16 && tensor->dtype != DType::kFloat16)
      problems.push_back("model: " + tensor->file + ": tensor " + tensor->name + " has dtype " +
                         std::string(name_of(tensor->dtype)) + ", allowed: float32, bfloat16, float16");
  }
  for (const SafeTensor& tensor : reader.tensors()) {
    // Causal masks that old transformers versions saved as buffers.
    const bool mask = tensor.name.ends_with(".attn.bias") || tensor.name.ends_with(".attn.masked_bias") ||
                      tensor.name.ends_with(".rotary_emb.inv_freq");
    if (!mask && !known.count(tensor.name))
      problems.push_back("model: " + tensor.file + ": tensor " + tensor.name +
                         " has no place in the model of config.json");
  }
  throw_if_any("", problems);
  return found;
}

}  // namespace

void load_weights(ParameterStore& store, const std::string& folder) {
  const SafetensorsReader reader(folder);
  const auto tensors = match(reader, store.parameters(), folder);
  at::NoGradGuard no_grad;
  const auto fill = [&](int parameter, int64_t offset, int64_t count, float* out) {
    const SafeTensor& tensor = *tensors[parameter];
    auto* bytes = const_cast<std::byte*>(tensor.data) + offset * static_cast<int64_t>(size_of(tensor.dtype));
    at::from_blob(out, {count}, at::kFloat).copy_(at::from_blob(bytes, {count}, torch_type(tensor.dtype)));
  };
  store.set_weights(fill, true);
}

void initialise_weights(ParameterStore& store, uint64_t seed) {
  const auto fill = [&](int id, int64_t offset, int64_t count, float* out) {
    const Parameter& parameter = store.parameters()[id];
    const Initialiser& init = parameter.initialiser;
    if (init.kind != Initialiser::Kind::kNormal)
      return static_cast<void>(std::fill_n(out, count, init.kind == Initialiser::Kind::kOnes ? 1.0f : 0.0f));
    counted_normal(random_key(seed, "weight/" + parameter.name), offset, count, out);
    const auto deviation = static_cast<float>(init.standard_deviation);
    for (int64_t i = 0; i < count; ++i) out[i] *= deviation;
  };
  store.set_weights(fill, true);
}

}  // namespace ds
