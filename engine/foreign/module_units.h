// Which parameters of somebody's torch::nn::Module are gathered and freed together: elements of ModuleList and
// Sequential, else named children, else single parameters (engine.md section 6).
#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/sharding/unit_layout.h"

namespace torch::nn {
class Module;
}

namespace ds {

struct ModuleParameters {
  std::vector<Parameter> parameters;  // deduplicated by tensor; further names of the same tensor are aliases
  std::vector<at::Tensor> tensors;    // the module's own, same order
  std::vector<UnitDefinition> units;            // every parameter in exactly one
  std::vector<std::string> buffer_names;
  std::vector<at::Tensor> buffers;
};

// Throws kUsage for parameters that are not floating point, not dense or not on the CPU, naming them.
ModuleParameters list_parameters(torch::nn::Module& module);

}  // namespace ds
