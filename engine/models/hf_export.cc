#include "engine/models/hf_export.h"

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "engine/checkpoint/safetensors.h"
#include "engine/zero/parameter_store.h"
#include "topology/base/error.h"

namespace ds {
namespace {

void write_config(const ModelConfig& config, const std::string& path) {
  auto json = nlohmann::ordered_json::parse(config.json_text);
  for (const char* key : {"dtype", "torch_dtype"})
    if (json.contains(key)) json[key] = "float32";
  std::ofstream file(path + ".tmp", std::ios::binary | std::ios::trunc);
  file << json.dump(2) << "\n";
  file.close();
  if (!file) throw Error(ErrorCode::kInternal, "export: cannot write " + path);
  std::filesystem::rename(path + ".tmp", path);
}

}  // namespace

void export_model(ParameterStore& store, const ModelConfig& config, const std::string& folder) {
  const bool writes = store.group().rank() == 0;
  std::vector<at::Tensor> values;
  std::vector<SafeTensorToWrite> tensors;
  for (size_t p = 0; p < store.parameters().size(); ++p) {
    at::Tensor value = store.full_master(static_cast<int>(p));
    if (!writes) continue;
    const Parameter& parameter = store.parameters()[p];
    tensors.push_back({parameter.name, DType::kFloat32, parameter.shape, value.data_ptr()});
    values.push_back(std::move(value));
  }
  if (writes) {
    std::filesystem::create_directories(folder);
    write_safetensors(folder + "/model.safetensors", tensors);
    write_config(config, folder + "/config.json");
  }
  store.group().barrier().wait();
}

}  // namespace ds
