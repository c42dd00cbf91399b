#include "engine/foreign/module_units.h"

#include <map>

#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/container/sequential.h>

#include "engine/unit.h"
#include "topology/base/error.h"

namespace ds {
namespace {

using Ids = std::map<c10::TensorImpl*, int>;

void collect(torch::nn::Module& module, ModuleParameters& result, Ids& ids) {
  std::vector<std::string> problems;
  for (const auto& item : module.named_parameters(true)) {
    const at::Tensor& tensor = item.value();
    if (!tensor.defined()) continue;
    const auto [known, is_new] = ids.emplace(tensor.unsafeGetTensorImpl(), static_cast<int>(result.parameters.size()));
    if (!is_new) {
      result.parameters[known->second].aliases.push_back(item.key());
      continue;
    }
    if (!tensor.is_floating_point() || tensor.layout() != at::kStrided || !tensor.is_cpu())
      problems.push_back("engine: parameter " + item.key() + " must be a dense floating point tensor on the CPU");
    Parameter parameter;
    parameter.name = item.key();
    parameter.shape = tensor.sizes().vec();
    parameter.trainable = tensor.requires_grad();
    result.parameters.push_back(std::move(parameter));
    result.tensors.push_back(tensor);
  }
  throw_if_any("", problems);
}

// Assigns what is not yet in a unit; a parameter shared by several children belongs to the first.
class UnitMaker {
 public:
  UnitMaker(const Ids& ids, ModuleParameters& result) : ids_(ids), result_(result), taken_(result.parameters.size()) {}

  void visit(torch::nn::Module& module, const std::string& prefix) {
    for (const auto& item : module.named_parameters(false)) add_unit(prefix + item.key(), {item.value()});
    for (const auto& child : module.named_children()) {
      const std::string name = prefix + child.key();
      if (is_unit(*child.value()) || (!is_list(*child.value()) && !holds_units(*child.value())))
        add_unit(name, child.value()->parameters(true));
      else
        visit(*child.value(), name + ".");
    }
  }

 private:
  static bool is_unit(const torch::nn::Module& module) { return dynamic_cast<const UnitTag*>(&module) != nullptr; }
  static bool is_list(const torch::nn::Module& module) {
    return module.as<torch::nn::ModuleListImpl>() || module.as<torch::nn::SequentialImpl>();
  }
  static bool holds_units(const torch::nn::Module& module) {
    for (const auto& inner : module.modules(false))
      if (is_unit(*inner)) return true;
    return false;
  }

  void add_unit(const std::string& name, const std::vector<at::Tensor>& tensors) {
    UnitDefinition unit{name, {}};
    for (const at::Tensor& tensor : tensors) {
      if (!tensor.defined()) continue;
      const int id = ids_.at(tensor.unsafeGetTensorImpl());
      if (taken_[id]) continue;
      taken_[id] = true;
      unit.parameters.push_back(id);
    }
    if (!unit.parameters.empty()) result_.units.push_back(std::move(unit));
  }

  const Ids& ids_;
  ModuleParameters& result_;
  std::vector<bool> taken_;
};

}  // namespace

ModuleParameters list_parameters(torch::nn::Module& module) {
  ModuleParameters result;
  Ids ids;
  collect(module, result, ids);
  UnitMaker(ids, result).visit(module, "");
  for (const auto& item : module.named_buffers(true)) {
    if (!item.value().defined()) continue;
    result.buffer_names.push_back(item.key());
    result.buffers.push_back(item.value());
  }
  return result;
}

}  // namespace ds
